// Builds `dist` from the sources. In an installed package there are no sources: `dist` came along and nothing is to do.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
if (existsSync(`${root}/tsconfig.build.json`)) {
  const { build } = await import('vite')
  rmSync(`${root}/dist`, { recursive: true, force: true })
  const { status } = spawnSync(
    process.execPath,
    [`${root}/node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(status ?? 1)
  // The compiler copies no data.
  copyFileSync(`${root}/plugins/pricing/prices.json`, `${root}/dist/plugins/pricing/prices.json`)
  await build({ root: `${root}/ui-web`, logLevel: 'warn' })
  chmodSync(`${root}/dist/surfaces/cli/main.js`, 0o755)
}
