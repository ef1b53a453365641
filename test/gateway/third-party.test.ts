import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { RawClient } from '../surfaces/raw.ts'

const fixtures = fileURLToPath(new URL('../fixtures/third-party', import.meta.url))

/** A pipeline file in a folder outside the source tree, with the third-party plugins beside it under `./theirs`. */
function outside(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'deflector-outside-'))
  cpSync(fixtures, join(folder, 'theirs'), { recursive: true })
  writeFileSync(join(folder, 'pipeline.yaml'), text)
  return join(folder, 'pipeline.yaml')
}

/** A GET over a socket file. */
const getOver = (socketPath: string, path: string): Promise<{ status: number | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    const call = request({ socketPath, path, agent: false }, async reply => {
      let text = ''
      for await (const chunk of reply) text += chunk
      resolve({ status: reply.statusCode, text })
    })
    call.on('error', reject).end()
  })

test('a listener from outside serves the routes of the surfaces it names and no others, over reloads too', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'deflector-socket-')), 'admin.sock')
  const gateway = await startGateway({
    pipeline: outside(`surfaces:
  http: { options: { port: 0, serves: [native] } }
  admin: { use: ./theirs/admin-listener.ts, options: { path: '${path}', serves: [health] } }
  native: { flow: chat }
  health:
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [demo] } } }
providers: { demo: }
`),
  })
  assert.is((await getOver(path, '/healthz')).status, 200)
  assert.is((await getOver(path, '/api/chat')).status, 404)
  assert.is((await gateway.get('/healthz')).status, 404)
  assert.is((await gateway.post('/api/chat', { prompt: 'hello' })).status, 200)
  assert.ok((await gateway.gateway.reload()).ok)
  const { generation } = JSON.parse((await getOver(path, '/health')).text)
  assert.is(generation, 2)
  await gateway.close()
  const left = await getOver(path, '/healthz').then(
    () => 'served',
    () => 'closed',
  )
  assert.is(left, 'closed')
})

test('a CONNECT listener from outside serves what comes through its tunnels by the routes of the gateway', async () => {
  let port = 0
  const log: Log = {
    debug() {},
    info: (message, fields) => {
      if (message === 'proxy listening') port = Number(fields?.port)
    },
    warn() {},
    error() {},
  }
  const gateway = await startGateway({
    log,
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  proxy: { use: ./theirs/connect-listener.ts, options: { hosts: [api.vendor.test] } }
  chat-completions: { flow: chat }
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [demo] } } }
providers: { demo: }
`),
  })
  const client = await RawClient.connect(port)
  client.send('CONNECT api.vendor.test:443 HTTP/1.1', 'host: api.vendor.test:443', '', '')
  await client.until(/^HTTP\/1\.1 200 Connection Established\r\n\r\n/)
  const body = JSON.stringify({ model: 'demo-1', messages: [{ role: 'user', content: 'hello' }] })
  client.send(
    'POST /v1/chat/completions HTTP/1.1',
    'host: api.vendor.test',
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
    '',
    body,
  )
  const reply = await client.closed()
  assert.match(reply, /HTTP\/1\.1 200 OK\r\n/)
  assert.match(reply, /"object":"chat\.completion"/)
  const stranger = await RawClient.connect(port)
  stranger.send('CONNECT elsewhere.test:443 HTTP/1.1', 'host: elsewhere.test:443', '', '')
  assert.match(await stranger.closed(), /^HTTP\/1\.1 403 /)
  await gateway.close()
})

test('an HTTP vendor from outside is asked at its own path, with its own headers and fields', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
  native: { flow: chat }
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [vendor] } } }
providers:
  vendor: { use: ./theirs/keyed-vendor.ts, options: { url: '${upstream.url}', api_key: k-1, model: own, tenant: acme } }
`),
  })
  const messages = [{ role: 'user', content: 'hello' }]
  const same = await gateway.post('/v1/chat/completions', { model: 'm', messages })
  assert.match(same.json.choices[0].message.content, /^answer 1 /)
  const streamed = await gateway.stream('/v1/chat/completions', { model: 'm', messages })
  assert.match(streamed.content, /^answer 2 /)
  const other = await gateway.post('/api/chat', { prompt: 'hello' })
  assert.match(other.json.message, /^answer 3 /)
  assert.equal(
    upstream.calls.map(({ path, headers, body }) => [
      path,
      headers['x-vendor-key'],
      headers.authorization,
      String(headers['x-vendor-trace']).length,
      body?.tenant,
      body?.model,
    ]),
    ['m', 'm', 'own'].map(model => ['/v1/deployments/chat/completions?version=1', 'k-1', undefined, 24, 'acme', model]),
  )
  upstream.script({ status: 429 })
  assert.is((await gateway.post('/api/chat', { prompt: 'again' })).status, 429)
  await gateway.close()
  await upstream.close()
})

test('a quota from outside refuses vendor calls above its limit, and is told what each call took', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
flows: { chat: [quota, exact-cache, cloud] }
layers:
  quota: { use: ./theirs/token-quota.ts, options: { limit_tokens: 100 } }
  exact-cache: { options: { store: answers, mode: exact } }
  cloud: { options: { chain: [vendor, other] } }
stores: { answers: { use: memory } }
providers:
  vendor: { use: chat-completions, options: { url: '${upstream.url}', api_key: k-1 } }
  other: { use: chat-completions, options: { url: '${upstream.url}', api_key: k-2 } }
`),
  })
  const ask = (content: string, more: object = {}) =>
    gateway.post('/v1/chat/completions', {
      model: 'm',
      max_tokens: 20,
      messages: [{ role: 'user', content }],
      ...more,
    })
  // 84 bytes are 21 tokens, and 20 may come back: of two at once, one is refused before the vendor hears of it.
  upstream.script({ usage: { input: 30, output: 20 } }, { usage: { input: 30, output: 20 } })
  assert.is((await ask('one')).status, 200)
  const stream = await gateway.stream('/v1/chat/completions', {
    model: 'm',
    max_tokens: 20,
    messages: [{ role: 'user', content: 'two' }],
  })
  assert.is(stream.status, 200)
  const refused = await ask('three')
  assert.is(refused.status, 429)
  assert.is(refused.headers.get('x-service-layer'), 'quota')
  assert.is(refused.headers.get('x-should-retry'), 'false')
  assert.match(refused.json.error.message, /quota of 100 tokens/)
  assert.is(upstream.calls.length, 2, 'neither the vendor nor the fallback was called')
  assert.is((await ask('one')).headers.get('x-service-layer'), 'l1a', 'what is cached costs nothing')
  assert.ok((await gateway.gateway.reload()).ok)
  assert.is((await ask('four')).status, 429, 'the books outlive a reload')
  await gateway.close()
  await upstream.close()
})

test("a dashboard's data from outside goes from an observer to a page by a facet, over reloads too", async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  native: { flow: chat }
  stats: { use: ./theirs/stats-page.ts, flow: chat }
flows: { chat: [auth, exact-cache, cloud] }
layers:
  auth: { options: { key: secret } }
  exact-cache: { options: { store: answers, mode: exact } }
  cloud: { options: { chain: [vendor] } }
stores: { answers: { use: memory } }
observers: { counts: { use: ./theirs/request-stats.ts } }
providers: { vendor: { use: chat-completions, options: { url: '${upstream.url}', model: m, api_key: k-1 } } }
`),
  })
  const key = { 'x-api-key': 'secret' }
  await gateway.post('/api/chat', { prompt: 'hello' }, key)
  await gateway.post('/api/chat', { prompt: 'hello' }, key)
  await gateway.post('/api/chat', { prompt: 'hello' })
  const counted = { requests: 3, deflected: 1, vendorCalls: 1, byLayer: { l3: 1, l1a: 1, l0: 1 } }
  assert.equal((await gateway.get('/dashboard/stats', key)).json, { counts: counted })
  assert.is((await gateway.get('/dashboard/stats')).status, 401)
  assert.ok((await gateway.gateway.reload()).ok)
  assert.equal((await gateway.get('/dashboard/stats', key)).json, { counts: counted })
  await gateway.close()
  await upstream.close()
})

test.run()
