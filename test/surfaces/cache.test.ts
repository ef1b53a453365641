import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const KEY = 'a-gateway-key'
const authorization = { authorization: `Bearer ${KEY}` }
const context: { gateway?: TestGateway } = {}

test.before(async () => {
  context.gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: KEY } })
})
test.after(() => context.gateway?.close())

const gateway = (): TestGateway => {
  if (!context.gateway) throw new Error('the gateway did not start')
  return context.gateway
}
const lookup = (body: object) => gateway().send('/api/v1/cache/lookup', JSON.stringify(body), authorization)
const store = (body: object) => gateway().post('/api/v1/cache/store', body, authorization)

test('a miss is a 204 without a body', async () => {
  const reply = await lookup({ prompt: 'nobody asked this' })
  assert.is(reply.status, 204)
  assert.is(reply.text, '')
})

test('what was stored is found, in the native shape and as a hit of layer 1', async () => {
  const stored = await store({ prompt: 'capital of France', response: 'Paris' })
  assert.is(stored.status, 200)
  assert.equal(stored.json, { stored: true })
  const reply = await lookup({ prompt: 'capital of France' })
  assert.is(reply.status, 200)
  const { layer, message } = JSON.parse(reply.text)
  assert.is(layer, 1)
  assert.is(message, 'Paris')
  assert.is(reply.headers.get('x-service-layer'), 'l1a')
  assert.is(reply.headers.get('x-service-deflected'), 'true')
})

test('the native chat shares the entry, under both of its paths', async () => {
  await store({ prompt: 'capital of Italy', response: 'Rome' })
  for (const path of ['/api/chat', '/api/v1/chat']) {
    const reply = await gateway().post(path, { prompt: 'capital of Italy' }, authorization)
    assert.is(reply.json.message, 'Rome')
    assert.is(reply.headers.get('x-service-layer'), 'l1a')
  }
})

test('an entry for one model is not one for another', async () => {
  await store({ prompt: 'capital of Spain', response: 'Madrid', model: 'm-1' })
  assert.is((await lookup({ prompt: 'capital of Spain', model: 'm-1' })).status, 200)
  assert.is((await lookup({ prompt: 'capital of Spain', model: 'm-2' })).status, 204)
  assert.is((await lookup({ prompt: 'capital of Spain' })).status, 204)
})

test('a stored answer is of the model that is asked for, whoever stored it by another name', async () => {
  const aliased = await startGateway({
    settings: { SERVICE__EXTERNAL_LLM_MODEL: 'm-default', SERVICE__MODEL_ALIASES__FAST: 'm-1' },
  })
  try {
    const pair = { prompt: 'capital of Chile', response: 'Santiago' }
    await aliased.post('/api/v1/cache/store', pair)
    await aliased.post('/api/v1/cache/store', { ...pair, model: 'fast' })
    const question = { prompt: 'capital of Chile' }
    assert.is((await aliased.post('/api/v1/cache/lookup', question)).json.model, 'm-default')
    assert.is((await aliased.post('/api/chat', { ...question, model: 'm-1' })).json.model, 'm-1')
  } finally {
    await aliased.close()
  }
})

test('an entry of one session is not found in another', async () => {
  await store({ prompt: 'my name', response: 'Ada', session_id: 's-1' })
  assert.is((await lookup({ prompt: 'my name', session_id: 's-1' })).status, 200)
  assert.is((await lookup({ prompt: 'my name' })).status, 204)
})

test('prompts that differ in one large integer are two entries', async () => {
  const send = (path: string, text: string) => gateway().send(path, text, authorization)
  await send('/api/v1/cache/store', '{"prompt":"seeded","seed":9007199254740993,"response":"odd"}')
  assert.is((await send('/api/v1/cache/lookup', '{"prompt":"seeded","seed":9007199254740992}')).status, 204)
  assert.is((await send('/api/v1/cache/lookup', '{"prompt":"seeded","seed":9007199254740993}')).status, 200)
  const chat = await send('/api/chat', '{"prompt":"seeded","seed":9007199254740993}')
  assert.is(JSON.parse(chat.text).message, 'odd')
})

test('a body that is not UTF-8 is a 400, not an entry of mended text', async () => {
  for (const path of ['/api/v1/cache/lookup', '/api/v1/cache/store']) {
    const broken = Buffer.from('{"prompt":"\xff","response":"x"}', 'latin1')
    const reply = await fetch(gateway().url + path, {
      method: 'POST',
      body: broken,
      headers: { ...authorization, 'content-type': 'application/json' },
    })
    assert.is(reply.status, 400)
    assert.match(await reply.text(), 'UTF-8')
  }
})

test('a byte order mark before the body changes nothing', async () => {
  const stored = await gateway().send(
    '/api/v1/cache/store',
    '\ufeff{"response":"marked","prompt":"with a mark"}',
    authorization,
  )
  assert.is(stored.status, 200)
  assert.is((await lookup({ prompt: 'with a mark' })).status, 200)
  const chat = await gateway().send('/api/chat', '\ufeff{"prompt":"with a mark"}', authorization)
  assert.is(JSON.parse(chat.text).message, 'marked')
})

test('what is not sent as JSON is a 415, and another origin a 403', async () => {
  const own = gateway().url
  for (const path of ['/api/v1/cache/lookup', '/api/v1/cache/store']) {
    const ask = (headers: Record<string, string>) =>
      gateway().send(path, '{"prompt":"poison","response":"evil"}', { ...authorization, ...headers })
    const refused = await ask({ 'content-type': 'text/plain' })
    assert.is(refused.status, 415)
    assert.is(JSON.parse(refused.text).error, 'unsupported_media')
    for (const origin of ['http://evil.example', 'null']) {
      const foreign = await ask({ origin })
      assert.is(foreign.status, 403, origin)
      assert.is(JSON.parse(foreign.text).error, 'forbidden')
    }
    assert.is((await lookup({ prompt: 'poison' })).status, 204)
  }
  const headers = { ...authorization, origin: own, 'content-type': 'Application/JSON; charset=utf-8' }
  assert.is((await gateway().send('/api/v1/cache/lookup', '{"prompt":"poison"}', headers)).status, 204)
})

test('an entry with a model of null is one without a model', async () => {
  assert.equal((await store({ prompt: 'capital of Peru', response: 'Lima', model: null })).json, { stored: true })
  assert.is((await lookup({ prompt: 'capital of Peru' })).status, 200)
})

test('a blank response is a 400 that names it', async () => {
  const reply = await store({ prompt: 'blank', response: ' \n' })
  assert.is(reply.status, 400)
  assert.match(reply.json.message, /response/)
})

test('only what a cache keeps is called stored', async () => {
  const semantic = await startGateway({ settings: { SERVICE__CACHE_MODE: 'semantic' } })
  try {
    const lasting = await semantic.post('/api/v1/cache/store', { prompt: 'What is a heron?', response: 'A bird.' })
    assert.equal(lasting.json, { stored: true })
    const code = await semantic.post('/api/v1/cache/store', {
      prompt: 'What is this?\n```\nx = 1\n```',
      response: 'Code.',
    })
    assert.is(code.status, 200)
    assert.is(code.json.stored, false)
  } finally {
    await semantic.close()
  }
})

test('a body over 1 MiB is a 413', async () => {
  assert.is((await lookup({ prompt: 'x'.repeat(1 << 20) })).status, 413)
  assert.is((await store({ prompt: 'x', response: 'x'.repeat(1 << 20) })).status, 413)
})

test('a missing field is a 400 that names it', async () => {
  const reply = await store({ prompt: 'no response' })
  assert.is(reply.status, 400)
  assert.match(reply.json.message, /response/)
  assert.is((await lookup({})).status, 400)
})

test('without the key it is a 401, whatever the body', async () => {
  for (const path of ['/api/v1/cache/lookup', '/api/v1/cache/store']) {
    const reply = await gateway().send(path, 'not json')
    assert.is(reply.status, 401)
    assert.is(reply.headers.get('x-service-layer'), 'l0')
  }
})

test.run()
