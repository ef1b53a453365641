import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const CHAT = { model: 'theirs', messages: [{ role: 'user', content: 'hello' }] }

for (const provider of ['ollama', 'vllm', 'llamacpp', 'lmstudio', 'custom', 'ollama-messages', 'vllm-responses'])
  test(`${provider} runs without a key, shows none, and is asked for nothing but the answer`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({
      provider,
      settings: { SERVICE__EXTERNAL_LLM_URL: upstream.url },
    })
    const health = await gateway.get('/health')
    assert.is(health.json.layers.l3, 'active')
    const { status, headers } = await gateway.post('/v1/chat/completions', CHAT)
    assert.equal([status, headers.get('x-service-provider')], [200, provider])
    assert.is(upstream.calls.length, 1)
    const [call] = upstream.calls
    assert.is(call?.method, 'POST')
    for (const header of ['authorization', 'x-api-key', 'api-key']) assert.is(call?.headers[header], undefined)
  })

test('a server on this machine that wants a key after all gets it', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ provider: 'vllm', upstream })
  await gateway.post('/v1/chat/completions', CHAT)
  assert.is(upstream.calls[0]?.headers.authorization, 'Bearer test-key')
})

test('two entries of one vendor are two providers, each with its own key, model and place', async () => {
  const first = await startUpstream()
  const second = await startUpstream()
  first.script({ status: 503 }, { status: 503 }, { status: 503 })
  second.script({ text: 'from the second' })
  const gateway = await startGateway({
    provider: 'groq',
    upstream: first,
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { provider: 'groq', url: second.url, api_key: 'second-key', model: 'second-model' },
      ]),
    },
  })
  const { json, headers } = await gateway.post('/v1/chat/completions', CHAT)
  assert.is(json.choices[0].message.content, 'from the second')
  assert.is(headers.get('x-service-provider'), 'groq-2')
  assert.equal(new Set(first.calls.map(({ headers }) => headers.authorization)), new Set(['Bearer test-key']))
  assert.equal(
    second.calls.map(({ headers, body }) => [headers.authorization, body?.model]),
    [['Bearer second-key', 'second-model']],
  )
})

test('/health is degraded while the latest word on every provider is that it fails, and ready all the same', async () => {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const fallback = { provider: 'custom', url: second.url, model: 'm' }
  const settings = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify([fallback]) }
  const gateway = await startGateway({ provider: 'vllm', upstream: first, settings })
  const asked = async (content: string): Promise<readonly unknown[]> => {
    const { status } = await gateway.post('/v1/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] })
    const health = await gateway.get('/health')
    return [status, health.status, health.json.status, health.json.layers.l3]
  }
  first.script(() => ({ status: 500 }))
  let down = false
  second.script(() => (down ? { status: 500 } : { text: 'from the second' }))
  assert.equal(await asked('one'), [200, 200, 'ok', 'active'])
  down = true
  assert.equal(await asked('two'), [502, 200, 'degraded', 'degraded'])
  assert.is((await gateway.get('/readyz')).status, 200)
  assert.is((await gateway.get('/healthz')).status, 200)
  down = false
  assert.equal(await asked('three'), [200, 200, 'ok', 'active'])
})

test('what one entry cannot do is done by the next, and named where none can', async () => {
  const first = await startUpstream()
  const second = await startUpstream()
  const fallback = { provider: 'custom', url: second.url, model: 'm' }
  const start = (fallbacks: readonly object[]) =>
    startGateway({
      provider: 'deepseek',
      upstream: first,
      settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallbacks) },
    })
  const body = { ...CHAT, n: 2 }
  const served = await (await start([fallback])).post('/v1/chat/completions', body)
  assert.equal([served.status, served.headers.get('x-service-provider')], [200, 'custom'])
  assert.is(second.calls[0]?.body?.n, 2)
  const refused = await (await start([])).post('/v1/chat/completions', body)
  assert.equal([refused.status, refused.json.error.param], [400, 'n'])
  assert.equal(first.calls, [])
})

for (const [provider, meant] of [
  ['opnai', 'openai'],
  ['antropic', 'anthropic'],
  ['azur', 'azure'],
  ['github-copilt', 'github-copilot'],
  ['deepseek-message', 'deepseek-messages'],
] as const)
  test(`${provider} is unknown, and ${meant} was meant`, async () => {
    let said = ''
    await startGateway({ provider }).catch(error => {
      said = String(error)
    })
    assert.match(said, provider)
    assert.match(said, `did you mean "${meant}"?`)
  })

test.run()
