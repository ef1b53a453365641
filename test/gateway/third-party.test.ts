import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listener } from 'deflector/facets/listener'
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

/** A log that keeps the lines with this message. */
function logOf(wanted: string): { readonly log: Log; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const info: Log['info'] = (message, fields = {}) => {
    if (message === wanted) lines.push(fields)
  }
  return { log: { debug() {}, info, warn() {}, error() {} }, lines }
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
  assert.equal(gateway.gateway.offers(listener).get('admin')?.(), { path })
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
  assert.equal(gateway.gateway.offers(listener).get('proxy')?.(), { host: '127.0.0.1', port })
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

test('embeddings from outside go through byte for byte, past the caches of chat, and their cost is seen', async () => {
  const upstream = await startUpstream()
  const { log, lines } = logOf('vendor called')
  const gateway = await startGateway({
    log,
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
  embeddings: { use: ./theirs/embeddings-surface.ts, flow: chat }
flows: { chat: [exact-cache, cloud] }
layers:
  exact-cache: { options: { store: memory } }
  cloud: { options: { chain: [demo, vendor] } }
stores: { memory: }
providers:
  demo:
  vendor: { use: ./theirs/embeddings-vendor.ts, options: { url: '${upstream.url}', api_key: k-1, model: chatty } }
observers: { attempts: { use: ./theirs/attempts-log.ts } }
`),
  })
  const vectors = { object: 'list', data: [{ embedding: [0.1, -2e-7] }], usage: { prompt_tokens: 3, total_tokens: 3 } }
  upstream.script({ json: vectors }, { json: vectors }, { status: 429 }, { json: { object: 'list' } })
  const body = '{ "model": "embed-1", "input": ["h\\u00e9"] }'
  for (let time = 0; time < 2; time++) {
    const reply = await gateway.send('/v1/embeddings', body)
    assert.equal([reply.status, reply.text], [200, JSON.stringify(vectors)])
    assert.equal(
      ['content-type', 'x-service-layer', 'x-service-provider'].map(header => reply.headers.get(header)),
      ['application/json', 'l3', 'vendor'],
    )
  }
  assert.equal(
    upstream.calls.map(({ path, headers, raw }) => [path, headers.authorization, raw.toString()]),
    [1, 2].map(() => ['/v1/embeddings', 'Bearer k-1', body]),
  )
  const call = { provider: 'vendor', operation: 'embeddings', model: 'embed-1', outcome: 'answered' }
  assert.equal(
    lines,
    [1, 2].map(() => ({ ...call, usage: { input: 3, output: 0 } })),
  )

  const limited = await gateway.post('/v1/embeddings', { model: 'embed-1', input: 'a' })
  assert.equal([limited.status, limited.json.error.code], [429, 'rate_limit_exceeded'])
  const wrong = await gateway.post('/v1/embeddings', { model: 'embed-1' })
  assert.equal([wrong.status, wrong.json.error.param], [400, 'input'])
  await gateway.close()
  await upstream.close()
})

test('tokens are counted by a provider that can, the caches of chat are not asked, and other flows say 501', async () => {
  const upstream = await startUpstream()
  const pipeline = (chain: string): string =>
    outside(`surfaces:
  http: { options: { port: 0 } }
  messages: { flow: chat }
  counts: { use: ./theirs/count-tokens-surface.ts, flow: chat }
flows: { chat: [exact-cache, cloud] }
layers:
  exact-cache: { options: { store: memory } }
  cloud: { options: { chain: [${chain}] } }
stores: { memory: }
providers:
  demo:
  vendor: { use: ./theirs/counting-vendor.ts, options: { url: '${upstream.url}', api_key: k-1 } }
`)
  const gateway = await startGateway({ pipeline: pipeline('vendor') })
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  const versioned = { 'anthropic-beta': 'token-counting', 'anthropic-version': '2099-01-01' }
  const answer = await gateway.post('/v1/messages', { ...body, max_tokens: 9 })
  assert.is(answer.json.type, 'message')
  assert.is((await gateway.post('/v1/messages', { ...body, max_tokens: 9 })).headers.get('x-service-layer'), 'l1a')
  for (const input_tokens of [8, 9]) {
    upstream.script({ json: { input_tokens } })
    const reply = await gateway.post('/v1/messages/count_tokens', { ...body, max_tokens: 9 }, versioned)
    assert.equal([reply.status, reply.json], [200, { input_tokens }])
    assert.is(reply.headers.get('x-service-layer'), 'l3')
  }
  assert.equal(
    upstream.calls.map(({ path, headers }) => [path, headers['x-api-key'], headers['anthropic-version']]),
    [
      ['/v1/messages', 'k-1', '2023-06-01'],
      ['/v1/messages/count_tokens', 'k-1', '2099-01-01'],
      ['/v1/messages/count_tokens', 'k-1', '2099-01-01'],
    ],
  )
  assert.is(upstream.calls[1]?.headers['anthropic-beta'], 'token-counting')
  await gateway.close()

  const other = await startGateway({ pipeline: pipeline('demo') })
  const refused = await other.post('/v1/messages/count_tokens', body)
  assert.is(refused.status, 501)
  assert.equal([refused.json.type, refused.json.error.type], ['error', 'invalid_request_error'])
  assert.match(refused.json.error.message, 'count_tokens')
  assert.is((await other.post('/v1/messages', { ...body, max_tokens: 9 })).status, 200)
  assert.is(upstream.calls.length, 3)
  await other.close()
  await upstream.close()
})

test('a vendor in a dialect of its own answers clients of chat-completions, whole and streamed', async () => {
  const upstream = await startUpstream()
  const { log, lines } = logOf('vendor called')
  const gateway = await startGateway({
    log,
    pipeline: outside(`surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [vendor], max_attempts: 1, stream_resume: off } } }
providers: { vendor: { use: ./theirs/own-dialect-vendor.ts, options: { url: '${upstream.url}', api_key: k-1 } } }
observers: { attempts: { use: ./theirs/attempts-log.ts } }
`),
  })
  const tokens = { read: 4, written: 2 }
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
  const body = {
    model: 'e-1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ],
  }
  upstream.script({ json: { message: 'hi', engine: 'e-1b', tokens } })
  const whole = await gateway.post('/v1/chat/completions', body)
  assert.equal([whole.status, whole.json.model, whole.json.choices[0].message.content], [200, 'e-1b', 'hi'])
  assert.equal([whole.json.usage.prompt_tokens, whole.json.usage.completion_tokens], [4, 2])

  upstream.script({ sse: [event({ more: 'good ' }), event({ more: 'day' }), event({ over: true, tokens })] })
  const streamed = await gateway.stream('/v1/chat/completions', body)
  assert.equal([streamed.status, streamed.content], [200, 'good day'])
  assert.match(streamed.text, /data: \[DONE\]\n\n$/)

  const said = [
    { who: 'system', text: 'Be brief.' },
    { who: 'user', text: 'hello' },
  ]
  assert.equal(
    upstream.calls.map(({ path, headers, body }) => [path, headers['own-key'], headers['own-version'], body]),
    [false, true].map(live => ['/v1/converse', 'k-1', '7', { engine: 'e-1', said, live }]),
  )
  const call = { provider: 'vendor', operation: 'chat', model: 'e-1', outcome: 'answered' }
  assert.equal(
    lines,
    [1, 2].map(() => ({ ...call, usage: { input: 4, output: 2 } })),
  )

  upstream.script({ sse: [event({ more: 'good ' })] }, { json: { message: 1 } }, { status: 401 })
  const broken = await gateway.stream('/v1/chat/completions', body)
  assert.match(broken.text, /"error":/)
  assert.not.match(broken.text, /\[DONE\]/)
  for (let time = 0; time < 2; time++) {
    const failed = await gateway.post('/v1/chat/completions', body)
    assert.is(failed.status, 502)
    assert.type(failed.json.error.message, 'string')
  }
  const image = [{ type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } }]
  const unsaid = await gateway.post('/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: image }],
  })
  assert.equal([unsaid.status, upstream.calls.length], [400, 5])
  await gateway.close()
  await upstream.close()
})

test.run()
