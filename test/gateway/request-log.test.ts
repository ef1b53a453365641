import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const KEY = 'canary-gateway-key-5b1e'
const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })

interface Logged {
  readonly gateway: TestGateway
  readonly folder: string
  /** All lines, oldest first, once there are so many. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names what it looks at
  lines(count: number): Promise<Record<string, any>[]>
}

async function logging(settings: Record<string, string> = {}, folder = tempFolder('log')): Promise<Logged> {
  const log = { SERVICE__ENABLE_REQUEST_LOGS: 'true', SERVICE__REQUEST_LOG_PATH: folder }
  const gateway = await startGateway({ upstream, settings: { ...log, ...settings } })
  return {
    gateway,
    folder,
    async lines(count) {
      const read = () =>
        readFileSync(join(folder, 'requests.jsonl'), 'utf8')
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line))
      await until(`${count} lines`, () => read().length >= count)
      return read()
    },
  }
}

test('a line holds request and answer as they went over the wire', async () => {
  const { gateway, lines, folder } = await logging()
  upstream.script({ text: 'a bird' })
  const miss = await gateway.post('/v1/chat/completions', chat('what is a heron?'), { 'user-agent': 'curl/8.14' })
  const hit = await gateway.post('/v1/chat/completions', chat('what is a heron?'))
  const [first, second] = await lines(2)
  assert.is(first?.request_id, miss.headers.get('x-service-request-id'))
  assert.equal(JSON.parse(first?.request_body), chat('what is a heron?'))
  assert.is(first?.response_body, miss.text)
  assert.is(second?.response_body, hit.text)
  assert.equal([first?.final_layer, second?.final_layer], ['l3', 'l1a'])
  assert.equal([first?.response_status, first?.method, first?.path], [200, 'POST', '/v1/chat/completions'])
  assert.equal([first?.tool, first?.client, first?.endpoint_family], ['curl', 'direct', 'openai'])
  assert.is(first?.response_headers['X-Service-Layer'], 'l3')
  assert.is(first?.attempts.length, 1)
  assert.equal([first?.provider, second?.provider], ['openai', null])
  assert.ok(
    first?.trail.some(({ layer, outcome }: Record<string, string>) => layer === 'exact-cache' && outcome === 'miss'),
  )
  assert.equal([first?.request_body_truncated, first?.response_body_truncated], [false, false])
  const modes = [folder, join(folder, 'requests.jsonl')].map(path => statSync(path).mode & 0o777)
  assert.equal(modes, [0o700, 0o600])
})

test('a stream is logged as it was sent, and a failure with what the client was told', async () => {
  const { gateway, lines } = await logging()
  upstream.script({ text: 'a bird' }, { status: 400 })
  const streamed = await gateway.stream('/v1/chat/completions', chat('stream it'))
  const failed = await gateway.post('/v1/chat/completions', chat('fail'))
  const [first, second] = await lines(2)
  assert.is(first?.response_body, streamed.text)
  assert.is(second?.response_body, failed.text)
  assert.equal([second?.response_status, second?.error], [400, 'vendor_refused'])
})

test('requests one by one are all in the log, however fast each is written', async () => {
  const { gateway } = await logging()
  for (let count = 1; count <= 12; count++) {
    await gateway.post('/v1/chat/completions', chat('again and again'))
    const { entries } = (await gateway.get('/api/admin/requests')).json
    assert.is(entries.length, count)
  }
})

test('bodies are cut at 16 KiB, and say so', async () => {
  const { gateway, lines } = await logging()
  upstream.script({ text: 'é'.repeat(20_000) })
  await gateway.post('/v1/chat/completions', chat('é'.repeat(20_000)))
  const [line] = await lines(1)
  for (const side of ['request', 'response']) {
    assert.is(line?.[`${side}_body_truncated`], true)
    assert.ok(Buffer.byteLength(line?.[`${side}_body`]) <= 16_384)
    assert.ok(Buffer.byteLength(line?.[`${side}_body`]) > 16_000)
    assert.not.match(line?.[`${side}_body`], '\uFFFD')
  }
})

test('the story of a request says which of its layers keep answers', async () => {
  const { gateway } = await logging({ SERVICE__CACHE_MODE: 'exact' })
  const cachesOf = async (path: string, body: object): Promise<string[]> => {
    const { headers } = await gateway.post(path, body)
    const { json } = await gateway.get(`/api/admin/requests/${headers.get('x-service-request-id')}`)
    const trail: readonly { layer: string; cache?: boolean }[] = json.trail
    return [...new Set(trail.flatMap(({ layer, cache }) => (cache === true ? layer : [])))]
  }
  assert.equal(await cachesOf('/v1/chat/completions', chat('which are caches?')), ['exact-cache'])
  assert.equal(await cachesOf('/v1/embeddings', { model: 'm', input: 'which are caches?' }), ['bytes-cache'])
})

test('no key of a client or a vendor comes into the log, wherever it stands', async () => {
  const { gateway, folder, lines } = await logging({ SERVICE__GATEWAY_API_KEY: KEY, SERVICE__CACHE_MODE: 'exact' })
  const secret = 'canary-body-9d2c'
  const body = chat(`my key is ${KEY}`, {
    metadata: { api_key: secret },
    tools: [
      { type: 'function', function: { name: 'f', parameters: { password: { default: secret } } } },
      { type: 'mcp', server_url: `https://me:${secret}@host/?key=${secret}`, headers: { 'X-Custom': secret } },
    ],
  })
  const headers = {
    authorization: `Bearer ${KEY}`,
    cookie: `a=${secret}`,
    'x-other-token': secret,
    'ocp-apim-subscription-key': secret,
    referer: `http://x/?api_key=${secret}`,
  }
  upstream.script({ text: `you sent ${KEY}` })
  await gateway.post(`/v1/chat/completions?key=${KEY}&beta=1`, body, headers)
  await gateway.post('/v1beta/models/m:generateContent?key=wrong-canary-key', { contents: [] })
  const [first, second] = await lines(2)
  const files = readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
  assert.not.match(files, /canary|test-key/)
  assert.match(first?.path, 'beta=1')
  assert.match(first?.request_body, 'my key is [redacted]')
  assert.is(second?.response_status, 401)
})

test('a key that is cut where the look at a body ends is not shown, however short the rest has become', async () => {
  const { gateway, lines } = await logging()
  const before = JSON.stringify({ model: 'm', metadata: { api_key: 'x'.repeat(2_000) } }).slice(0, -1)
  const body = `${before},"messages":[{"role":"user","content":"`
  const content = `${'a '.repeat(8_448 - body.length / 2 - 8)} AIzaSyA-abcdefghijklmnop"}]}`
  await gateway.post('/v1/chat/completions', JSON.parse(body + content))
  const [line] = await lines(1)
  assert.is(line?.request_body_truncated, true)
  assert.ok(line?.request_body.length > 13_000)
  assert.not.match(line?.request_body, 'AIza')
})

test('what a crash tore off is mended, and all lines can be read', async () => {
  const folder = tempFolder('log')
  writeFileSync(
    join(folder, 'requests.jsonl'),
    '{"request_id":"old","final_layer":"l3","response_status":200}\n{"request_id":"to',
  )
  // No process has this number: what it locked is free.
  writeFileSync(join(folder, 'requests.lock'), JSON.stringify({ pid: 4194399, host: hostname(), id: 'x' }))
  const { gateway, lines } = await logging({}, folder)
  await gateway.post('/v1/chat/completions', chat('one'))
  const all = await lines(2)
  assert.is(all[0]?.request_id, 'old')
  assert.is(all[1]?.method, 'POST')
  await gateway.close()
  assert.equal(readdirSync(folder), ['requests.jsonl'])
})

test('at 10 MiB the next file begins, and five older ones are kept', async () => {
  const folder = tempFolder('log')
  const line = `${JSON.stringify({ request_id: 'old', padding: 'x'.repeat(1000) })}\n`
  writeFileSync(join(folder, 'requests.jsonl'), line.repeat(Math.floor((10 << 20) / line.length)))
  for (const age of [1, 2, 3, 4, 5])
    writeFileSync(join(folder, `requests.${age}.jsonl`), `{"request_id":"age${age}"}\n`)
  const { gateway, lines } = await logging({}, folder)
  await gateway.post('/v1/chat/completions', chat('one'))
  await until('a new file', () => statSync(join(folder, 'requests.jsonl')).size < 1 << 20)
  assert.is((await lines(1))[0]?.method, 'POST')
  assert.ok(statSync(join(folder, 'requests.1.jsonl')).size > 10_000_000)
  assert.match(readFileSync(join(folder, 'requests.5.jsonl'), 'utf8'), 'age4')
  assert.equal((await gateway.get('/api/admin/requests/age3')).json.request_id, 'age3')
  assert.is((await gateway.get('/api/admin/requests/age5')).status, 404)
})

test('the newest come first, by layer, status and text', async () => {
  const { gateway, folder, lines } = await logging()
  upstream.script({ text: 'a bird' }, { status: 400 })
  await gateway.post('/v1/chat/completions', chat('what is a heron?'))
  await gateway.post('/v1/chat/completions', chat('what is a heron?'))
  await gateway.post('/v1/chat/completions', chat('what is refused?'))
  await lines(3)
  appendFileSync(join(folder, 'requests.jsonl'), 'not json\n')
  const asked = async (query = '') => (await gateway.get(`/api/admin/requests${query}`)).json
  const all = await asked()
  assert.equal([all.enabled, all.source, all.log_path], [true, 'request_log', folder])
  assert.equal(
    all.entries.map((entry: Record<string, unknown>) => entry.final_layer),
    ['l3', 'l1a', 'l3'],
  )
  assert.is((await asked('?layer=l1a')).entries.length, 1)
  assert.is((await asked('?status=4')).entries.length, 1)
  assert.is((await asked('?status=400')).entries.length, 1)
  assert.is((await asked('?q=HERON')).entries.length, 2)
  assert.is((await asked('?limit=1')).entries.length, 1)
  assert.is((await gateway.get('/api/admin/requests?limit=none')).status, 400)
})

test('in memory and in the log, requests are found by client, model, key and tag; briefly on demand', async () => {
  const keys = JSON.stringify([
    { key: 'key-of-ann', label: 'ann' },
    { key: 'key-of-bob', label: 'bob' },
  ])
  const settings = { SERVICE__GATEWAY_API_KEYS: keys, SERVICE__GATEWAY_API_KEY: KEY }
  const admin = { 'x-api-key': KEY }
  const inMemory = await startGateway({ upstream, settings })
  const { gateway: logged, lines } = await logging(settings)
  for (const gateway of [inMemory, logged]) {
    const ask = (content: string, headers: Record<string, string>, model = 'gpt-4o') =>
      gateway.post('/v1/chat/completions', { ...chat(content), model }, headers)
    await ask('one', { 'x-api-key': 'key-of-ann', 'x-service-tags': 'nightly, blue', 'user-agent': 'curl/8' })
    await ask('two', { 'x-api-key': 'key-of-bob', 'user-agent': 'claude-code/2' }, 'gpt-4o-mini')
    await ask('one', { 'x-api-key': 'key-of-ann', 'x-service-tags': 'nightly, key-of-ann' })
    if (gateway === logged) await lines(3)
    const found = async (query: string): Promise<string[]> => {
      const { entries } = (await gateway.get(`/api/admin/requests?${query}`, admin)).json
      return entries.map((entry: Record<string, unknown>) => `${entry.principal} ${entry.model}`)
    }
    assert.equal(await found('key=ann'), ['ann gpt-4o', 'ann gpt-4o'])
    assert.equal(await found('tag=nightly'), ['ann gpt-4o', 'ann gpt-4o'])
    assert.equal(await found('tag=nightly&key=bob'), [])
    assert.equal(await found('tag=blue&key=ann'), ['ann gpt-4o'])
    assert.equal(await found('tag=night'), [])
    assert.equal(await found('client=claude-code'), ['bob gpt-4o-mini'])
    assert.equal(await found('tool=curl'), ['ann gpt-4o'])
    assert.equal(await found('model=MINI'), ['bob gpt-4o-mini'])
    const { entries } = (await gateway.get('/api/admin/requests?limit=10000&brief=true', admin)).json
    const [hit, , miss] = entries
    assert.equal([hit.deflected, hit.status], [true, 200])
    for (const long of ['trail', 'attempts', 'request_headers', 'request_body']) assert.not.ok(long in hit)
    assert.equal([hit.cost_usd, miss.saved_cost_usd, miss.saved_tokens], [0, 0, 0])
    assert.ok(hit.saved_cost_usd > 0 && hit.saved_tokens > 0 && miss.cost_usd > 0)
    const one = (await gateway.get(`/api/admin/requests/${miss.request_id}`, admin)).json
    assert.equal([one.attempts.length, one.attempts[0].cost_usd], [1, miss.cost_usd])
    assert.is((await gateway.get('/api/admin/requests?limit=1001', admin)).status, 400)
    assert.is((await gateway.get('/api/admin/requests?brief=1', admin)).status, 400)
    if (gateway === logged) assert.not.match(JSON.stringify(entries), 'key-of-')
  }
})

test('a disk that refuses costs a warning with a count, and no request', async () => {
  const folder = tempFolder('log')
  writeFileSync(join(folder, 'file'), '')
  const warned: Record<string, unknown>[] = []
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string, fields: Record<string, unknown> = {}) => void warned.push({ message, ...fields }),
  }
  const settings = { SERVICE__ENABLE_REQUEST_LOGS: 'true', SERVICE__REQUEST_LOG_PATH: join(folder, 'file', 'below') }
  const gateway = await startGateway({ upstream, settings, log })
  for (let i = 0; i < 3; i++) assert.is((await gateway.post('/v1/chat/completions', chat(`${i}`))).status, 200)
  await until('a warning', () => warned.some(({ message }) => String(message).includes('request log')))
  assert.match(JSON.stringify(warned), 'ENOTDIR')
  const { entries } = (await gateway.get('/api/admin/requests')).json
  assert.equal(entries, [])
})

test('without the log the last requests are told from memory, without their bodies', async () => {
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 500 }, { text: 'a bird' })
  const miss = await gateway.post('/v1/chat/completions', chat('a private question'))
  const id = miss.headers.get('x-service-request-id')
  const { enabled, source, log_path, entries } = (await gateway.get('/api/admin/requests')).json
  assert.equal([enabled, source, log_path, entries.length], [false, 'memory', null, 1])
  const one = (await gateway.get(`/api/admin/requests/${id}`)).json
  assert.equal(
    one.attempts.map(({ outcome, status, provider }: Record<string, unknown>) => [outcome, status, provider]),
    [
      ['failed', 500, 'openai'],
      ['answered', 200, 'openai'],
    ],
  )
  assert.is(one.source, 'memory')
  assert.not.match(JSON.stringify([entries, one]), /private question|a bird|test-key/)
  assert.is((await gateway.get('/api/admin/requests/nothing')).status, 404)
})

test('fields that a vendor was not told are named with its call, without their values', async () => {
  const { gateway, lines } = await logging()
  const asked = { model: 'm', max_tokens: 9, top_k: 12345, messages: [{ role: 'user', content: 'a crane?' }] }
  const miss = await gateway.post('/v1/messages', asked)
  const one = (await gateway.get(`/api/admin/requests/${miss.headers.get('x-service-request-id')}`)).json
  assert.equal(one.attempts[0].omitted, ['top_k'])
  const [line] = await lines(1)
  assert.equal(line?.attempts[0].omitted, ['top_k'])
  assert.not.match(JSON.stringify([line?.attempts, line?.trail]), '12345')
})

test.run()
