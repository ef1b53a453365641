import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { withOpenai } from '../support/openai-client.ts'
import { startUpstream } from '../support/upstream.ts'
import { RawClient } from '../surfaces/raw.ts'

const started = withOpenai(test, { safe: 'omni-moderation-latest' })

// D49
test('a form with a file reaches the vendor untouched', async () => {
  const { client, upstream, gateway } = started()
  upstream.script({ json: { id: 'file-1', object: 'file' } }, { json: { id: 'file-2' } })
  const bytes = Buffer.from([0, 255, 13, 10, 0xc3, 0x28])
  const file = await client.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'batch' })
  assert.is(file.id, 'file-1')
  const [call] = upstream.calls
  assert.equal([call?.method, call?.path, call?.headers.authorization], ['POST', '/v1/files', 'Bearer test-key'])
  assert.match(call?.headers['content-type'] ?? '', /^multipart\/form-data; ?boundary=/)
  assert.ok(call?.raw.includes(bytes))
  const form = '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n\xff\r\n--x--\r\n'
  await gateway.send('/v1/files', form, { 'content-type': 'multipart/form-data; boundary=x' })
  assert.is(upstream.calls[1]?.raw.toString(), form)
})

test('lists, details, contents and deletions go to their own paths, with their query', async () => {
  const { client, upstream, gateway } = started()
  upstream.script({ json: { data: [{ id: 'file-1' }], has_more: false } }, { json: { id: 'file-1' } })
  assert.is((await client.files.list({ limit: 5, order: 'asc' })).data[0]?.id, 'file-1')
  assert.is((await client.files.retrieve('file-1')).id, 'file-1')
  upstream.script({ raw: '\u0000binary\u00ff', headers: { 'content-type': 'application/octet-stream' } })
  const content = await gateway.send('/v1/audio/speech', '{"model":"tts","input":"hi"}')
  assert.is(content.headers.get('content-type'), 'application/octet-stream')
  upstream.script({ json: { id: 'file-1', deleted: true } })
  assert.is((await client.files.delete('file-1')).deleted, true)
  assert.equal(
    upstream.calls.map(({ method, path, raw }) => [method, path, raw.length > 0]),
    [
      ['GET', '/v1/files?limit=5&order=asc', false],
      ['GET', '/v1/files/file-1', false],
      ['POST', '/v1/audio/speech', true],
      ['DELETE', '/v1/files/file-1', false],
    ],
  )
})

test('an alias of a model is resolved, and nothing else of a body changes; each call is asked anew', async () => {
  const { gateway, upstream } = started()
  upstream.script(() => ({ json: { id: 'modr-1', results: [] }, headers: { 'x-request-id': 'v1' } }))
  const bodies = ['{ "model":"safe",  "input":"é" }', '{ "input":"é" }']
  for (const body of [...bodies, ...bodies]) {
    const reply = await gateway.send('/v1/moderations', body)
    assert.equal([reply.status, reply.headers.get('x-service-layer')], [200, 'l3'])
    assert.is(reply.headers.get('x-request-id'), 'v1')
  }
  assert.equal(upstream.calls.map(({ raw }) => raw.toString()).slice(0, 2), [
    '{ "model":"omni-moderation-latest",  "input":"é" }',
    '{ "input":"é" }',
  ])
  assert.is(upstream.calls.length, 4)
})

test('what a vendor refuses keeps its status, and what fails is tried once: it may have made something', async () => {
  const { client, upstream } = started()
  upstream.script({ status: 404, json: { error: { message: 'no such batch', code: 'not_there' } } })
  const missing = await client.batches.retrieve('batch-1').catch((error: unknown) => error)
  assert.ok(missing instanceof OpenAI.NotFoundError)
  upstream.script({ status: 500 })
  const failed = await client.batches
    .create({ input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' })
    .catch((error: unknown) => error)
  assert.ok(failed instanceof OpenAI.APIError)
  assert.is(failed.status, 502)
  assert.is(upstream.calls.length, 2)
})

const POOL = [
  { key: 'first-of-two-keys', priority: 1 },
  { key: 'second-of-two-keys', priority: 2 },
]

test('a limited key is left for the next one, and chats know of it, as of all that passed', async () => {
  const upstream = await startUpstream()
  const settings = { SERVICE__PROVIDER_KEYS: JSON.stringify(POOL), SERVICE__EXTERNAL_LLM_API_KEY: '' }
  const gateway = await startGateway({ upstream, settings })
  const usedKeys = () => upstream.calls.map(({ headers }) => String(headers.authorization).slice(7))
  const moderated = { model: 'm', input: 'a' }
  upstream.script({ json: { results: [] } }, { json: { results: [] } }, { status: 429 }, { json: { results: [] } })
  for (let n = 0; n < 3; n++) assert.is((await gateway.post('/v1/moderations', moderated)).status, 200)
  const [first, second] = POOL.map(({ key }) => key)
  assert.equal(usedKeys(), [first, first, first, second], 'they do not go round')
  const chat = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  for (const content of ['one', 'two'])
    await gateway.post('/v1/chat/completions', { ...chat, messages: [{ role: 'user', content }] })
  assert.equal(usedKeys().slice(4), [second, second])
  const [provider] = (await gateway.get('/debug/providers')).json.providers
  assert.equal([provider.requests_total, provider.errors_total, provider.last_error !== null], [6, 1, true])
  assert.equal(
    provider.keys.map((key: Record<string, unknown>) => [key.status, key.requests_total, key.rate_limit_total]),
    [
      ['cooling_down', 3, 1],
      ['available', 3, 0],
    ],
  )
})

test('a key that chats found at its limit is not tried: 429 at once, with the time to wait', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 429, headers: { 'retry-after': '40' } })
  await gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hello' }] })
  const { status, headers } = await gateway.post('/v1/moderations', { model: 'm', input: 'a' })
  assert.is(status, 429)
  assert.ok(['39', '40'].includes(headers.get('retry-after') ?? ''))
  assert.is(upstream.calls.length, 1)
})

/** What a vendor says whose limit is reached for longer than a test takes. */
const LIMITED = { status: 429, headers: { 'retry-after': '60' } }

test('what needs no model and names none rests apart from the default model, each endpoint by itself', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  const chat = (content: string) =>
    gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content }], temperature: 0 })
  upstream.script(LIMITED)
  assert.is((await chat('limited')).status, 429)
  const limited = await gateway.post('/v1/moderations', { model: 'stub-model', input: 'a' })
  assert.is(limited.status, 429, 'its model is the one that is limited')
  assert.is(upstream.calls.length, 1)
  upstream.script({ json: { data: [] } }, { json: { results: [] } }, LIMITED)
  assert.is((await gateway.get('/v1/files')).status, 200)
  assert.is((await gateway.post('/v1/moderations', { input: 'a' })).status, 200)
  assert.is((await gateway.get('/v1/files')).status, 429)
  assert.is((await gateway.get('/v1/files/file-1/content')).status, 429, 'the same endpoint')
  assert.is(upstream.calls.length, 4)
  upstream.script({ json: { results: [] } })
  assert.is((await gateway.post('/v1/moderations', { input: 'b' })).status, 200)
  await gateway.close()
})

test('chats with the default model go on while files or batches are at their limit', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  const version = { 'anthropic-version': '2023-06-01' }
  upstream.script(LIMITED)
  assert.is((await gateway.get('/v1/files', version)).status, 429)
  const asked = { max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] }
  assert.is((await gateway.post('/v1/messages', { model: 'stub-model', ...asked })).status, 200)
  upstream.script(LIMITED, { json: { id: 'msgbatch_1' } })
  const other = await gateway.post('/v1/messages', { model: 'stub-model', ...asked, system: 'again' })
  assert.is(other.status, 429)
  assert.is((await gateway.get('/v1/messages/batches/msgbatch_1')).status, 200)
  await gateway.close()
})

test('an account without credit is asked for nothing, whatever names a model', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  upstream.script({ status: 429, json: { error: { message: 'no money', code: 'insufficient_quota' } } })
  assert.is((await gateway.get('/v1/files')).status, 429)
  const asked = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  assert.is((await gateway.post('/v1/chat/completions', asked)).status, 429)
  assert.is(upstream.calls.length, 1)
  await gateway.close()
})

test('an image that fails counts for the health of its provider, and its time for nothing', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 500 }, { json: { data: [] } })
  const asked = { model: 'm', prompt: 'a heron' }
  assert.is((await gateway.post('/v1/images/generations', asked)).status, 502)
  const status = async () => (await gateway.get('/debug/providers')).json.providers[0]
  assert.is((await status()).status, 'failing')
  assert.is((await gateway.post('/v1/images/generations', asked)).status, 200)
  const { status: now, requests_total, errors_total, latency_ms } = await status()
  assert.equal([now, requests_total, errors_total, latency_ms], ['healthy', 2, 1, null])
})

test('D33: what one principal made is at its provider, for nobody else', async () => {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const keys = ['ann', 'bob'].map(label => ({ key: `key-of-${label}`, label }))
  const gateway = await startGateway({
    upstream: first,
    provider: 'openai',
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'openai', url: second.url, api_key: 'second' }]),
      SERVICE__GATEWAY_API_KEYS: JSON.stringify(keys),
    },
  })
  const [ann, bob] = [{ 'x-api-key': 'key-of-ann' }, { 'x-api-key': 'key-of-bob' }]
  first.script({ json: { id: 'file-1', object: 'file' } })
  await gateway.send('/v1/files', 'a', { ...ann, 'content-type': 'text/plain' })
  const batch = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' }
  const asking = { model: 'm', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] }
  for (const path of ['/v1/files/file-1', '/v1/files/file-1/content', '/v1/files/file-unknown'])
    assert.is((await gateway.get(path, bob)).status, 404, path)
  const deleted = await fetch(`${gateway.url}/v1/files/file-1`, { method: 'DELETE', headers: bob })
  assert.is(deleted.status, 404)
  assert.is((await gateway.post('/v1/batches', batch, bob)).status, 404)
  assert.is((await gateway.post('/v1/chat/completions', asking, bob)).status, 404)
  assert.is(first.calls.length, 1)
  first.script(
    { json: { id: 'batch-1' } },
    { json: { id: 'batch-1', output_file_id: 'file-2' } },
    { json: { id: 'x' } },
  )
  assert.is((await gateway.post('/v1/batches', batch, ann)).status, 200)
  assert.is((await gateway.get('/v1/batches/batch-1', ann)).status, 200)
  assert.is((await gateway.get('/v1/files/file-2/content', ann)).status, 200)
  assert.is((await gateway.get('/v1/files/x', ann)).status, 404, 'words of a file make nothing')

  second.script({ json: { id: 'batch-2' } }, { json: { id: 'batch-2' } })
  const other = await gateway.post('/v1/batches', { model: 'openai-2/gpt', endpoint: '/v1/responses' }, ann)
  assert.is(other.status, 200)
  assert.is(second.calls[0]?.body?.model, 'gpt')
  await gateway.get('/v1/batches/batch-2', ann)
  assert.is(second.calls.length, 2, 'it is asked where it was made')
  assert.is((await gateway.get('/v1/batches/batch-2', bob)).status, 404)
  await gateway.close()
})

test('a model in a form is resolved like any other, before a file or behind it', async () => {
  const upstream = await startUpstream()
  const second = await startUpstream()
  for (const vendor of [upstream, second]) vendor.script(() => ({ json: { text: 'heard' } }))
  const gateway = await startGateway({
    upstream,
    provider: 'openai',
    settings: {
      SERVICE__MODEL_ALIASES: '{"ears":"whisper-1","far":"openai-2/whisper-9"}',
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'openai', url: second.url, api_key: 'second' }]),
    },
  })
  const file = Buffer.concat([
    Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="model"\r\n\r\n'),
    Buffer.from([0, 255, 13, 10, 45, 45, 13, 10]),
    Buffer.from('name="model"\r\n\r\nears\r\n'),
  ])
  const model = (name: string): Buffer =>
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${name}\r\n`)
  const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from('--x--\r\n')])
  const send = (body: Buffer) =>
    fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: new Uint8Array(body),
    })
  for (const order of [(name: string) => form(model(name), file), (name: string) => form(file, model(name))]) {
    for (const [named, real] of [
      ['ears', 'whisper-1'],
      ['own-name', 'own-name'],
    ] as const) {
      assert.is((await send(order(named))).status, 200)
      assert.equal(upstream.calls.at(-1)?.raw, order(real))
    }
    for (const named of ['far', 'openai-2/whisper-9']) {
      assert.is((await send(order(named))).headers.get('x-service-provider'), 'openai-2')
      assert.equal(second.calls.at(-1)?.raw, order('whisper-9'))
    }
  }
  await send(form(file))
  assert.equal(upstream.calls.at(-1)?.raw, form(file), 'a form without a model')
  await gateway.close()
})

test('an event stream that was asked for comes event by event, as its vendor wrote it', async () => {
  const { gateway, upstream, client } = started()
  const events = ['speech.audio.delta', 'speech.audio.delta', 'speech.audio.done'].map(
    (type, at) => `data: {"type":"${type}","audio":"é${at}"}\n\n`,
  )
  // The vendor holds the rest back: only what is passed on as it comes can be read.
  upstream.script({ sse: events, stallAfter: 1 })
  const left = new AbortController()
  const asked = { model: 'tts', input: 'hi', voice: 'v', stream_format: 'sse' }
  const reply = await fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    signal: left.signal,
  })
  assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/)
  const { value } = (await reply.body?.getReader().read()) ?? {}
  assert.is(Buffer.from(value ?? []).toString(), events[0])
  left.abort()
  upstream.script({ sse: events }, { sse: events })
  assert.is((await gateway.send('/v1/audio/speech', JSON.stringify(asked))).text, events.join(''))
  const types: string[] = []
  const transcription = await client.audio.transcriptions.create({
    file: await toFile(Buffer.from([0, 1]), 'a.wav'),
    model: 'safe',
    stream: true,
  })
  for await (const { type } of transcription) types.push(type)
  assert.equal(types, ['speech.audio.delta', 'speech.audio.delta', 'speech.audio.done'])
  assert.match(upstream.calls.at(-1)?.raw.toString('latin1') ?? '', 'omni-moderation-latest')
})

test('a stream of a vendor endpoint that breaks off ends with an error event, and a refusal has its status', async () => {
  const { gateway, upstream } = started()
  const asked = JSON.stringify({ model: 'tts', input: 'hi', stream_format: 'sse' })
  upstream.script({ sse: ['data: {"type":"a"}\n\n', 'data: {"type":"b"}\n\n'], dieAfter: 1 })
  const broken = await gateway.send('/v1/audio/speech', asked)
  assert.match(broken.text, '"type":"a"')
  assert.match(broken.text, '"error"')
  upstream.script({ status: 429 })
  assert.is((await gateway.send('/v1/audio/speech', asked)).status, 429)
})

test('no path leads out of the vendor', async () => {
  const { gateway, upstream } = started()
  const paths = [
    '/v1/files/../../admin',
    '/v1/files/%2e%2e/%2E%2E/admin',
    '/v1/files/a/./b',
    '/v1/files/..\\..\\..\\admin\\keys',
    '/v1/files/a%5c..%5cb',
    '/v1/files/%2e%2e%2f%2e%2e%2fadmin',
    '/v1/files/%252e%252e/admin',
    '/v1/files/..;/admin',
    '/v1/files/file-1%2fcontent',
    '/v1/files/file-1%00',
    '/v1/files/file-1%zz',
  ]
  for (const path of paths) {
    const client = await RawClient.connect(Number(new URL(gateway.url).port))
    client.send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
    assert.match(await client.until(/\r\n\r\n/), /^HTTP\/1\.1 40[04]/, path)
  }
  assert.is(upstream.calls.length, 0)
})

test("a messages vendor's batches and files pass to it, and to no other", async () => {
  const { gateway: other } = started()
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'anthropic' })
  const client = new Anthropic({ apiKey: 'k', baseURL: gateway.url, maxRetries: 0 })
  upstream.script({ json: { id: 'msgbatch_1' } }, { json: { data: [], has_more: false } })
  const requests = [
    { custom_id: 'a', params: { model: 'm', max_tokens: 1, messages: [{ role: 'user' as const, content: 'hi' }] } },
  ]
  assert.is((await client.messages.batches.create({ requests })).id, 'msgbatch_1')
  const version = { 'anthropic-version': '2023-06-01' }
  assert.is((await gateway.get('/v1/files', version)).status, 200)
  assert.equal(
    upstream.calls.map(({ method, path, headers }) => [method, path, headers['x-api-key']]),
    [
      ['POST', '/v1/messages/batches', 'test-key'],
      ['GET', '/v1/files', 'test-key'],
    ],
  )
  const refused = await other.get('/v1/files', version)
  assert.equal([refused.status, refused.json.type], [501, 'error'])
  assert.is((await gateway.get('/v1/files')).json.error.code, 'unsupported_operation')
  await gateway.close()
})

test.run()
