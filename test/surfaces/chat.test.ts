import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { RawClient } from './raw.ts'

const KEY = 'a-gateway-key'
const authorization = { authorization: `Bearer ${KEY}` }
const chat = '/v1/chat/completions'
const ask = (content: string) => ({ model: 'stub-model', messages: [{ role: 'user', content }] })

const context: { gateway?: TestGateway; upstream?: Upstream } = {}
const gateway = (): TestGateway => {
  if (!context.gateway) throw new Error('the gateway did not start')
  return context.gateway
}
const upstream = (): Upstream => {
  if (!context.upstream) throw new Error('the upstream did not start')
  return context.upstream
}

test.before.each(async () => {
  context.upstream = await startUpstream()
  context.gateway = await startGateway({ upstream: context.upstream, settings: { SERVICE__GATEWAY_API_KEY: KEY } })
})
test.after.each(async () => {
  await context.gateway?.close()
  await context.upstream?.close()
})

test('an editor is known by its headers, and has a cache of its own', async () => {
  const cursor = { ...authorization, 'x-ghost-mode': 'true' }
  const kiro = { ...authorization, 'x-kiro-client-id': 'k' }
  for (const headers of [authorization, cursor, kiro, authorization, cursor, kiro]) {
    assert.is((await gateway().post(chat, ask('who am I'), headers)).status, 200)
  }
  assert.is(upstream().calls.length, 3)
})

test('the native and the chat-completions surface keep their answers apart', async () => {
  await gateway().post('/api/chat', { prompt: 'hello', model: 'stub-model' }, authorization)
  await gateway().post(chat, ask('hello'), authorization)
  assert.is(upstream().calls.length, 2)
})

test('without a key the body is not looked at', async () => {
  for (const path of [chat, '/v1/messages', '/api/chat', '/v1/v1/messages/']) {
    const reply = await gateway().send(path, 'not json')
    assert.is(reply.status, 401, path)
    assert.is(reply.headers.get('x-service-layer'), 'l0')
    assert.is(reply.headers.get('x-service-deflected'), 'false')
  }
  assert.is((await gateway().send(chat, 'not json', authorization)).status, 400)
})

test('HEAD, OPTIONS and GET on a chat route do not reach the vendor', async () => {
  for (const method of ['HEAD', 'OPTIONS', 'GET']) await fetch(gateway().url + chat, { method, headers: authorization })
  assert.is(upstream().calls.length, 0)
})

test('a failure below /v1/messages is told in that dialect, elsewhere below /v1 in the other', async () => {
  assert.is((await gateway().get('/v1/messages')).json.type, 'error')
  assert.is((await gateway().get('/v1/nothing')).json.error.code.length > 0, true)
})

test('a client that leaves takes its call to the vendor along', async () => {
  upstream().script({ silent: true })
  const body = JSON.stringify(ask('anybody there'))
  const client = await RawClient.connect(Number(new URL(gateway().url).port))
  client.send(
    `POST ${chat} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${KEY}`,
    `content-length: ${body.length}`,
    '',
    body,
  )
  while (upstream().calls.length === 0) await new Promise(resolve => setImmediate(resolve))
  client.socket.destroy()
  await once(client.socket, 'close')
  assert.is(await upstream().calls[0]?.aborted, true)
})

test('going down, it lets a running stream end, and says to others that it is draining', async () => {
  upstream().script({ text: 'a b c d e f', frameDelayMs: 100 })
  const streaming = gateway().send(chat, JSON.stringify({ ...ask('slowly'), stream: true }), authorization)
  while (upstream().calls.length === 0) await new Promise(resolve => setImmediate(resolve))
  const closing = gateway().gateway.close(5000)
  assert.is((await gateway().get('/readyz')).status, 503)
  assert.is((await gateway().post(chat, ask('too late'), authorization)).status, 503)
  assert.match((await streaming).text, /data: \[DONE\]\s*$/)
  await closing
  assert.is(
    await fetch(gateway().url).then(
      () => 'open',
      () => 'shut',
    ),
    'shut',
  )
})

test('a reload under load loses no request', async () => {
  const { url } = gateway()
  let stop = false
  let served = 0
  const load = Array.from({ length: 6 }, async (_, lane) => {
    while (!stop) {
      const reply = await fetch(url + chat, {
        method: 'POST',
        body: JSON.stringify(ask(`lane ${lane}`)),
        headers: authorization,
      })
      assert.is(reply.status, 200)
      await reply.text()
      served++
    }
  })
  for (let n = 0; n < 3; n++) {
    const before = served
    while (served < before + 10) await new Promise(resolve => setImmediate(resolve))
    assert.is((await gateway().gateway.reload()).ok, true)
  }
  stop = true
  await Promise.all(load)
  assert.is((await gateway().get('/health')).json.generation, 4)
})

test.run()
