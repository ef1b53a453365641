import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { opened } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

/** Accepts nothing and counts who knocks. */
async function startDoor() {
  let knocks = 0
  const server = createServer(socket => {
    knocks++
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = opened(async () => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, knocks: () => knocks, close }
}

const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
/** Everything that would ask a vendor, and whether it is refused without one. */
const REQUESTS: readonly (readonly [path: string, body: object | undefined, status: number])[] = [
  ['/api/chat', { prompt: 'hi' }, 503],
  ['/v1/chat/completions', chat, 503],
  ['/v1/chat/completions', { ...chat, stream: true }, 503],
  ['/v1/chat/completions', { ...chat, model: 'groq/m' }, 503],
  ['/v1/messages', { ...chat, max_tokens: 5 }, 503],
  ['/v1/responses', { model: 'm', input: 'hi' }, 503],
  ['/v1/responses', { model: 'm', input: 'hi', store: false, stream: true }, 503],
  ['/v1beta/models/m:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, 503],
  ['/v1beta/models/m:streamGenerateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, 503],
  ['/v1/embeddings', { model: 'm', input: 'hi' }, 503],
  ['/v1/completions', { model: 'm', prompt: 'hi' }, 503],
  ['/v1/images/generations', { model: 'm', prompt: 'hi' }, 503],
  ['/v1/moderations', { model: 'm', input: 'hi' }, 503],
  ['/v1/files', undefined, 503],
  ['/v1/messages/count_tokens', chat, 200],
  ['/v1/models', undefined, 200],
  ['/v1beta/models', undefined, 200],
  ['/api/v1/cache/lookup', { prompt: 'hi' }, 204],
  ['/api/admin/providers', undefined, 200],
  ['/api/admin/providers/test', { provider: 'openai' }, 200],
  ['/api/admin/providers/test', { provider: 'groq', api_key: 'k' }, 200],
]

test('offline not one connection is made, whatever is asked and however long it runs', async () => {
  const [door, other] = await Promise.all([startDoor(), startDoor()])
  const due: (() => void)[] = []
  // What is asked for later is asked for at once.
  const hasty: Clock = {
    ...systemClock,
    after(ms, run) {
      if (ms < 600) return systemClock.after(ms, run)
      due.push(run)
      return () => {}
    },
  }
  const gateway = await startGateway({
    clock: hasty,
    settings: {
      SERVICE__OFFLINE_MODE: 'true',
      SERVICE__EXTERNAL_LLM_URL: door.url,
      SERVICE__EXTERNAL_LLM_API_KEY: 'k',
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'groq', url: other.url, api_key: 'k', model: 'm' }]),
      SERVICE__LIST_VENDOR_MODELS: 'true',
      SERVICE__PROVIDER_HEALTH_CHECK_INTERVAL_SECS: '1',
      SERVICE__HEDGE_AFTER_MS: '1',
      SERVICE__HEDGE_BUDGET: '1',
    },
  })
  const askAll = async (): Promise<void> => {
    for (const [path, body, status] of REQUESTS) {
      const reply = await fetch(gateway.url + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      const text = await reply.text()
      assert.is(reply.status, status, `${path}: ${text}`)
      if (status === 503) assert.is(reply.headers.get('x-should-retry'), 'false', path)
    }
  }
  await askAll()
  for (const run of due.splice(0)) run()
  assert.ok((await gateway.gateway.reload()).ok)
  await askAll()
  for (const run of due.splice(0)) run()
  await gateway.close()
  assert.equal([door.knocks(), other.knocks()], [0, 0])
})

test('the same gateway that is not offline does knock', async () => {
  const door = await startDoor()
  const gateway = await startGateway({
    settings: {
      SERVICE__EXTERNAL_LLM_URL: door.url,
      SERVICE__EXTERNAL_LLM_API_KEY: 'k',
      SERVICE__LIST_VENDOR_MODELS: 'true',
    },
  })
  await gateway.get('/v1/models')
  const listed = door.knocks()
  assert.ok(listed > 0)
  await gateway.post('/api/admin/providers/test', { provider: 'openai' })
  assert.ok(door.knocks() > listed)
  await gateway.close()
})

test('what is under way when the gateway goes offline makes no new attempt', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 429, headers: { 'retry-after': '1' } }, { text: 'too late' })
  const waiting = gateway.post('/v1/chat/completions', chat)
  await until('the first attempt', () => upstream.calls.length === 1)
  assert.is((await gateway.post('/api/admin/config', { offline_mode: true })).status, 200)
  assert.equal([(await waiting).status, upstream.calls.length], [503, 1])
  assert.is((await gateway.post('/api/admin/config', { offline_mode: false })).status, 200)
  assert.is((await gateway.post('/v1/chat/completions', chat)).status, 200)
  await gateway.close()
})

test('where every vendor fails a stale answer is served with its age', async () => {
  const upstream = await startUpstream()
  let later = 0
  const clock: Clock = {
    ...systemClock,
    now: () => Date.now() + later,
    monotonic: () => systemClock.monotonic() + later,
  }
  const gateway = await startGateway({ upstream, clock })
  assert.is((await gateway.post('/api/chat', { prompt: 'hi' })).headers.get('x-service-layer'), 'l3')
  assert.is((await gateway.post('/api/chat', { prompt: 'hi' })).headers.get('x-service-layer'), 'l1a')
  upstream.script(() => ({ status: 401 }))
  later = 400_000
  const stale = await gateway.post('/api/chat', { prompt: 'hi' })
  assert.is(stale.status, 200)
  assert.equal([stale.headers.get('x-service-layer'), stale.headers.get('x-service-deflected')], ['l1a', 'true'])
  assert.ok(Number(stale.headers.get('x-service-stale')) >= 100)
  await gateway.close()
})

test.run()
