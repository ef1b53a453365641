import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { BuiltFiles } from '../../../surfaces/dashboard/built-files.ts'
import { buildDashboard } from '../../support/dashboard.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { root } from '../../support/markdown.ts'
import { tempFolder } from '../../support/opened.ts'

const context: { gateway?: TestGateway } = {}
test.before(async () => {
  buildDashboard()
  context.gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: 'key-of-the-gateway' } })
})
test.after(() => context.gateway?.close())

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${context.gateway?.url}${path}`, { redirect: 'manual', ...init })

test('the address without its slash leads to the page, for GET and HEAD', async () => {
  for (const method of ['GET', 'HEAD']) {
    const reply = await ask('/dashboard', { method })
    assert.equal([reply.status, reply.headers.get('location')], [308, '/dashboard/'])
    assert.is((await ask('/dashboard/', { method })).status, 200)
  }
  assert.is((await ask('/dashboard/', { method: 'POST' })).status, 405)
})

test('the page needs no key, holds nothing inline, and names only files of its own', async () => {
  const page = await ask('/dashboard/')
  assert.is(page.status, 200)
  assert.is(page.headers.get('cache-control'), 'no-cache')
  const policy = page.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(rule), rule)
  assert.not.match(policy, 'unsafe')
  const html = await page.text()
  assert.not.match(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/)
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(files.length >= 3)
  for (const path of files) {
    assert.match(path, /^\/dashboard\/(?:logo\.png|assets\/[\w-]+\.\w+)$/)
    assert.is((await ask(path)).status, 200, path)
  }
})

test('hashed files are kept by browsers for a year, and all are told by their tag when they have not changed', async () => {
  const html = await (await ask('/dashboard/')).text()
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''
  const reply = await ask(script)
  assert.is(reply.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.is(reply.headers.get('content-encoding'), 'gzip')
  assert.match(reply.headers.get('content-type') ?? '', 'javascript')
  for (const path of [script, '/dashboard/', '/dashboard/logo.png']) {
    const tag = (await ask(path)).headers.get('etag') ?? ''
    const again = await ask(path, { headers: { 'if-none-match': tag } })
    assert.equal([again.status, await again.text()], [304, ''], path)
    assert.is((await ask(path, { headers: { 'if-none-match': '"other"' } })).status, 200)
  }
  const plain = await ask(script, { headers: { 'accept-encoding': 'gzip;q=0, identity' } })
  assert.is(plain.headers.get('content-encoding'), null)
  assert.is(await plain.text(), await reply.text())
})

test('everything together is small', async () => {
  const html = await (await ask('/dashboard/')).text()
  const paths = ['/dashboard/', ...[...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)]
  let bytes = 0
  for (const path of paths) {
    const head = await ask(path, { method: 'HEAD' })
    bytes += Number(head.headers.get('content-length'))
    assert.is(await head.text(), '')
  }
  assert.ok(bytes > 10_000 && bytes < 250_000, `${bytes} bytes`)
})

test('the licences of all that is bundled go along', () => {
  const text = readFileSync(join(root, 'dist/ui-web/licenses.txt'), 'utf8')
  for (const name of ['react', 'react-dom', 'scheduler', 'uplot', 'eventsource-parser'])
    assert.match(text, new RegExp(`^## ${name} - [\\d.]+ \\(MIT\\)$`, 'm'))
})

test('nothing outside of the folder is served', async () => {
  for (const path of [
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/assets/index.html',
    '/dashboard/x',
    '/dashboard/assets',
  ])
    assert.is((await ask(path)).status, 404, path)
})

test('files are read when they are asked for, again when they have changed names, and never beside the folder', async () => {
  const folder = tempFolder('built')
  const files = new BuiltFiles(join(folder, 'app'))
  assert.is(await files.find('index.html'), undefined)
  mkdirSync(join(folder, 'app', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'app', 'index.html'), 'page')
  writeFileSync(join(folder, 'app', 'assets', 'a-1.js'), 'one')
  assert.is(Buffer.from((await files.find('index.html'))?.bytes ?? []).toString(), 'page')
  assert.is(await files.find('../secret.txt'), undefined)
  assert.is(await files.find('assets'), undefined)
  rmSync(join(folder, 'app', 'assets', 'a-1.js'))
  writeFileSync(join(folder, 'app', 'assets', 'a-2.js'), 'two')
  assert.is(await files.find('assets/a-1.js'), undefined)
  assert.is(Buffer.from((await files.find('assets/a-2.js'))?.bytes ?? []).toString(), 'two')
})

test.run()
