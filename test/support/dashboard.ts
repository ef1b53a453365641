import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.ts'

const PAGE = join(root, 'dist/ui-web/index.html')

/** `npm ci` has built the dashboard; whoever has changed its sources since then sees what they say now. */
export function buildDashboard(): void {
  const built = existsSync(PAGE) ? statSync(PAGE).mtimeMs : 0
  const sources = readdirSync(join(root, 'ui-web'), { recursive: true, encoding: 'utf8' })
  if (sources.every(name => statSync(join(root, 'ui-web', name)).mtimeMs < built)) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', 'ui-web', '--logLevel', 'warn'], { cwd: root })
  if (status !== 0) throw new Error(`the dashboard cannot be built: ${stderr}`)
}
