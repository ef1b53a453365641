import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { buildDashboard } from './support/dashboard.ts'
import { root } from './support/markdown.ts'
import { opened, tempFolder } from './support/opened.ts'
import { Started } from './surfaces/cli/command.ts'

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
})

/** The package as npm would unpack it, beside what it depends on and nothing else. Gives its folder. */
function installed(): string {
  buildDashboard()
  const folder = tempFolder('packed')
  const npm = ['pack', '--ignore-scripts', '--offline', '--pack-destination', folder]
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const printed = execFileSync('npm', npm, { cwd: root, encoding: 'utf8', stdio: [...stdio] })
  const modules = join(folder, 'node_modules')
  const own = join(modules, 'deflector')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, printed.trim()), '-C', own, '--strip-components=1'])
  for (const name of Object.keys(manifestIn(own).dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  return own
}

const manifestIn = (folder: string) => manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))

test('the packed package needs no build: it serves prompts and the dashboard as they were packed', async () => {
  assert.ok(existsSync(join(root, 'dist/surfaces/cli/main.js')), 'npm run prepare comes first')
  const folder = installed()
  const { scripts } = manifestIn(folder)
  for (const name of ['preinstall', 'install', 'postinstall']) assert.is(scripts[name], undefined)
  assert.not.ok(existsSync(join(folder, 'ui-web')), 'the sources of the page stay behind')

  const main = join(folder, 'dist/surfaces/cli/main.js')
  const env = { PATH: process.env.PATH, SERVICE_DATA_DIR: tempFolder('packed-data'), SERVICE__CACHE_MODE: 'exact' }
  const child = spawn(process.execPath, [main, 'up', '--demo', '--port', '0', '--host', '127.0.0.1'], {
    cwd: env.SERVICE_DATA_DIR,
    env,
  })
  const gateway = new Started(child)
  opened(async () => {
    child.kill('SIGKILL')
    await gateway.ended
  })
  const [, url = ''] = await gateway.says(/address(?: +|":")(http:[^\s"]+)/)
  await gateway.says(/"msg":"serving"/)
  const headers = { 'content-type': 'application/json' }
  const chat = await fetch(`${url}/api/chat`, { method: 'POST', headers, body: '{"prompt":"what is 2+2?"}' })
  assert.is(chat.status, 200)
  const page = await (await fetch(`${url}/dashboard/`)).text()
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(files.length >= 3)
  for (const path of files) assert.is((await fetch(url + path)).status, 200, path)
})

test.run()
