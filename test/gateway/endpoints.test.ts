import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const context: { gateway?: TestGateway } = {}

test.before(async () => {
  context.gateway = await startGateway({
    upstream: await startUpstream(),
    settings: { SERVICE__CORS_ORIGINS: 'https://app.example.com' },
  })
})
test.after(() => context.gateway?.close())

const gatewayOf = (): TestGateway => {
  if (!context.gateway) throw new Error('the gateway is not started')
  return context.gateway
}
const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(gatewayOf().url + path, init)

// R11
test('an unknown endpoint is told apart from an unknown model, in the dialect of its prefix, with what exists', async () => {
  const chat = await gatewayOf().get('/v1/assistants')
  assert.is(chat.status, 404)
  assert.is(chat.json.error.type, 'invalid_request_error')
  assert.is(chat.json.error.code, 'unknown_endpoint')
  assert.match(chat.json.error.message, 'POST /v1/chat/completions')
  assert.match(chat.json.error.message, 'GET /v1/models/{id}')
  assert.is(chat.headers.get('x-should-retry'), 'false')
  const messages = await gatewayOf().get('/v1/messages/nothing')
  assert.is(messages.status, 404)
  assert.is(messages.json.type, 'error')
  assert.is(messages.json.error.type, 'not_found_error')
  assert.match(messages.json.error.message, 'POST /v1/messages')
})

test('a verb that a model does not have is an unknown endpoint, and those there are get listed', async () => {
  const { status, json } = await gatewayOf().post('/v1beta/models/x:nope', {})
  assert.equal([status, json.error.code, json.error.status], [404, 404, 'NOT_FOUND'])
  assert.match(json.error.message, 'POST /v1beta/models/{model}:generateContent')
  const other = await gatewayOf().post('/v1beta/models/x', {})
  assert.is(other.status, 405)
})

test('a method of a model is no model: it takes POST only', async () => {
  for (const path of [
    '/v1beta/models/m:generateContent',
    '/v1beta/models/m:countTokens/',
    '/v1/models/m:generateContent',
  ])
    for (const method of ['GET', 'HEAD']) assert.is((await ask(path, { method })).status, 405, `${method} ${path}`)
  assert.is((await ask('/v1/models/llama3:8b')).status, 200)
})

test('a base URL with its version twice, or without it, is understood or put right', async () => {
  assert.is((await ask('/v1/v1/models')).status, 200)
  assert.match((await (await ask('/models')).text()) as string, /did you mean \/v1\/models/)
})

// D28
test('probes with HEAD are answered, at the root, at /api/hello and wherever GET is served', async () => {
  for (const path of ['/', '/api/hello', '/v1/models', '/v1/models/gpt-4o', '/health']) {
    const reply = await ask(path, { method: 'HEAD' })
    assert.is(reply.status, 200, path)
    assert.is(await reply.text(), '')
  }
})

test('the preflight of an allowed page is answered with the headers that clients send', async () => {
  const headers =
    'authorization, x-api-key, content-type, anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access, x-goog-api-key, x-goog-api-client, x-service-session-id, x-stainless-lang'
  const preflight = (origin: string) =>
    ask('/v1/messages', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
    })
  const allowed = await preflight('https://app.example.com')
  assert.is(allowed.status, 204)
  assert.is(allowed.headers.get('access-control-allow-origin'), 'https://app.example.com')
  assert.is(allowed.headers.get('access-control-allow-headers'), headers)
  assert.is(allowed.headers.get('access-control-allow-methods'), 'POST')
  assert.is((await preflight('https://other.example.com')).status, 403)
})

test('an allowed page may read our headers, on errors too', async () => {
  for (const path of ['/v1/models', '/v1/nothing']) {
    const reply = await ask(path, { headers: { origin: 'https://app.example.com' } })
    assert.is(reply.headers.get('access-control-allow-origin'), 'https://app.example.com', path)
    assert.is(reply.headers.get('access-control-expose-headers'), '*', path)
  }
})

test('a page of this machine may ask, and reads the answer only where it is allowed to', async () => {
  const reply = await ask('/v1/models', { headers: { origin: 'http://localhost:3000' } })
  assert.is(reply.status, 200)
  assert.is(reply.headers.get('access-control-allow-origin'), null)
})

test('OPTIONS outside of a page says what a path takes', async () => {
  const reply = await ask('/v1/chat/completions', { method: 'OPTIONS' })
  assert.is(reply.status, 204)
  assert.is(reply.headers.get('allow'), 'POST')
  assert.is(reply.headers.get('access-control-allow-origin'), null)
})

test.run()
