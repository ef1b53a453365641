import OpenAI from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { withOpenai } from '../support/openai-client.ts'
import { startUpstream } from '../support/upstream.ts'

const started = withOpenai(test, { vectors: 'text-embedding-3-small' })

const floats = (values: readonly number[]): string => Buffer.from(new Float32Array(values).buffer).toString('base64')
const list = (...embeddings: readonly (string | readonly number[])[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'text-embedding-3-small',
  usage: { prompt_tokens: 5, total_tokens: 5 },
})

test('the official SDK gets its vectors, whether it asks for base64 or for numbers', async () => {
  const { client, upstream } = started()
  upstream.script({ json: list(floats([0.5, -1]), floats([2, 3])) })
  const { data, usage } = await client.embeddings.create({ model: 'm', input: ['one', 'two'] })
  assert.equal(
    data.map(({ embedding }) => [...embedding]),
    [
      [0.5, -1],
      [2, 3],
    ],
  )
  assert.is(usage.prompt_tokens, 5)
  assert.is(upstream.calls[0]?.body?.encoding_format, 'base64')
  upstream.script({ json: list([0.25]) })
  const plain = await client.embeddings.create({ model: 'm', input: 'one', encoding_format: 'float' })
  assert.equal(plain.data[0]?.embedding, [0.25])
})

test("a client's bytes go to the vendor and the vendor's come back, once; the second time from the cache", async () => {
  const { gateway, upstream } = started()
  const raw = '{ "object":"list", "data":[{"index":0,"embedding":[1.0]}], "usage":{"prompt_tokens":1} }'
  upstream.script({ raw, headers: { 'x-request-id': 'v1' } })
  const body = '{"input" : "é",  "model":"text-embedding-3-small"}'
  const first = await gateway.send('/v1/embeddings', body)
  assert.equal([first.status, first.text, first.headers.get('x-request-id')], [200, raw, 'v1'])
  assert.equal([first.headers.get('x-service-layer'), first.headers.get('x-service-provider')], ['l3', 'openai'])
  assert.equal([upstream.calls[0]?.path, upstream.calls[0]?.raw.toString()], ['/v1/embeddings', body])
  assert.is(upstream.calls[0]?.headers.authorization, 'Bearer test-key')
  const again = await gateway.post('/v1/embeddings', { model: 'vectors', input: 'é', user: 'somebody' })
  assert.equal([again.status, again.text], [200, raw])
  assert.equal([again.headers.get('x-service-layer'), again.headers.get('x-service-deflected')], ['l1a', 'true'])
  assert.is(again.headers.get('x-service-provider'), null)
  assert.is(upstream.calls.length, 1)
})

test('an answer of the wrong shape is named, in the 502 and in the story of the request', async () => {
  const { gateway, upstream } = started()
  upstream.script(() => ({ json: { vectors: 'the words of a vendor' } }))
  const { status, json, headers } = await gateway.post('/v1/embeddings', { model: 'm', input: 'odd' })
  const fault = 'the vendor sent JSON that is no answer to embeddings'
  assert.is(status, 502)
  assert.match(json.error.message, `openai: protocol, ${fault}`)
  assert.not.match(json.error.message, 'the words of a vendor')
  const story = await gateway.get(`/api/admin/requests/${headers.get('x-request-id')}`)
  assert.is(story.json.attempts[0]?.fault, fault)
  const steps: readonly { hook: string; layer: string; attempt?: number }[] = story.json.trail
  const called = steps.filter(({ hook, layer }) => hook === 'attempt' && layer === 'cloud')
  assert.equal(
    called.map(({ attempt }) => attempt),
    [1, 2, 3],
  )
  assert.ok(steps.every(({ hook, attempt }) => (hook === 'attempt') === (attempt !== undefined)))
})

test('what shapes a vector counts: text, model, dimensions and encoding; an alias means its model', async () => {
  const { gateway, upstream } = started()
  const bodies = [
    { model: 'vectors', input: 'text' },
    { model: 'other', input: 'text' },
    { model: 'vectors', input: ['text'] },
    { model: 'vectors', input: 'text', dimensions: 8 },
    { model: 'vectors', input: 'text', encoding_format: 'base64' },
    { model: 'vectors', input: [1, 2] },
  ]
  upstream.script(({ body }) => ({ json: list([upstream.calls.length]), ...(body ? {} : { status: 500 }) }))
  for (const body of bodies)
    assert.is((await gateway.post('/v1/embeddings', body)).headers.get('x-service-layer'), 'l3')
  assert.equal(
    upstream.calls.map(({ body }) => body?.model),
    ['text-embedding-3-small', 'other', ...Array(4).fill('text-embedding-3-small')],
  )
  for (const body of bodies)
    assert.is((await gateway.post('/v1/embeddings', body)).headers.get('x-service-layer'), 'l1a')
})

test('cache-control and forgetting work as for conversations', async () => {
  const { gateway, upstream } = started()
  upstream.script(() => ({ json: list([upstream.calls.length]) }))
  const body = { model: 'm', input: 'forget me' }
  const first = await gateway.post('/v1/embeddings', body)
  const anew = await gateway.post('/v1/embeddings', body, { 'cache-control': 'no-store' })
  assert.is(anew.headers.get('x-service-layer'), 'l3')
  const request_id = first.headers.get('x-service-request-id')
  const { json } = await gateway.post('/api/admin/cache/forget', { request_id })
  assert.equal(json, { forgotten: ['bytes-cache'] })
  assert.is((await gateway.post('/v1/embeddings', body)).headers.get('x-service-layer'), 'l3')
})

test("failures are told in the client's dialect, and the vendor's own refusal reaches it", async () => {
  const { gateway, upstream, client } = started()
  const bad = await gateway.post('/v1/embeddings', { model: 'm', input: [] })
  assert.equal([bad.status, bad.json.error.type, bad.json.error.param], [400, 'invalid_request_error', 'input'])
  assert.is(upstream.calls.length, 0)
  upstream.script({ status: 404, json: { error: { message: 'no such model', code: 'model_not_found' } } })
  const error = await client.embeddings.create({ model: 'm', input: 'never stored' }).catch((error: unknown) => error)
  assert.ok(error instanceof OpenAI.NotFoundError)
  assert.is(error.code, 'model_not_found')
  upstream.script({ json: list([1]) })
  assert.is((await gateway.post('/v1/embeddings', { model: 'm', input: 'never stored' })).status, 200)
})

test('where no provider embeds the call is refused for good', async () => {
  const gateway = await startGateway({ upstream: await startUpstream(), provider: 'anthropic' })
  const reply = await gateway.post('/v1/embeddings', { model: 'm', input: 'x' })
  assert.equal([reply.status, reply.json.error.code], [501, 'unsupported_operation'])
  assert.is(reply.headers.get('x-should-retry'), 'false')
  await gateway.close()
})

test('the first provider that embeds is asked, and a fallback for the same model only', async () => {
  const [primary, second, third] = await Promise.all([startUpstream(), startUpstream(), startUpstream()])
  const gateway = await startGateway({
    upstream: primary,
    provider: 'anthropic',
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { provider: 'openai', url: second.url, api_key: 'k2', model: 'gpt-chat' },
        { provider: 'groq', url: third.url, api_key: 'k3', model: 'llama-chat' },
      ]),
    },
  })
  second.script({ status: 401 })
  third.script({ json: list([7]) })
  const reply = await gateway.post('/v1/embeddings', { model: 'bge', input: 'x' })
  assert.equal([reply.status, reply.headers.get('x-service-provider')], [200, 'groq'])
  assert.equal([primary.calls.length, second.calls[0]?.body?.model, third.calls[0]?.body?.model], [0, 'bge', 'bge'])
  await gateway.close()
})

test.run()
