import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** A primary, and two instances of one other vendor, one of them under a name of its own. */
async function chain(settings: Readonly<Record<string, string>> = {}) {
  const [first, second, third] = [await startUpstream(), await startUpstream(), await startUpstream()]
  const fallback = [
    { provider: 'anthropic', url: second.url, api_key: 'second-key', model: 'claude-second' },
    { provider: 'anthropic', name: 'anthropic-eu', url: third.url, api_key: 'third-key', model: 'claude-third' },
  ]
  const gateway = await startGateway({
    upstream: first,
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback), ...settings },
  })
  const ask = (model: string | undefined, words = 'hi', stream = false) =>
    gateway.send(
      '/v1/chat/completions',
      JSON.stringify({ model, stream, messages: [{ role: 'user', content: words }] }),
    )
  return { first, second, third, gateway, ask }
}

const asked = ({ headers }: { readonly headers: Headers }) =>
  headers.get('x-service-layer') === 'l3' ? headers.get('x-service-provider') : headers.get('x-service-layer')

for (const stream of [false, true])
  test(`a client chooses the provider before the model, and gets its answers again (${stream ? 'streamed' : 'whole'})`, async () => {
    const { third, gateway, ask } = await chain()
    assert.is(asked(await ask('anthropic-eu/claude-x', 'hi', stream)), 'anthropic-eu')
    assert.is(third.calls[0]?.body?.model, 'claude-x')
    assert.is(asked(await ask('anthropic-eu/claude-x', 'hi', stream)), 'l1a')
    assert.is(asked(await ask('anthropic/claude-x', 'hi', stream)), 'anthropic')
    await gateway.close()
  })

test('the primary gets every other model as it stands, and shares what was asked of it by name', async () => {
  const { first, gateway, ask } = await chain()
  assert.is(asked(await ask('meta/llama-3')), 'openai')
  assert.is(asked(await ask('openai/gpt-x')), 'openai')
  assert.is(asked(await ask('gpt-x')), 'l1a')
  assert.equal(
    first.calls.map(({ body }) => body?.model),
    ['meta/llama-3', 'gpt-x'],
  )
  await gateway.close()
})

test('patterns of the settings choose, before keys are built', async () => {
  const { second, third, gateway, ask } = await chain({
    SERVICE__MODEL_ROUTES: JSON.stringify({ 'claude-eu-*': 'anthropic-eu', 'claude-*': 'anthropic' }),
    SERVICE__MODEL_ALIASES: JSON.stringify({ smart: 'claude-eu-1' }),
  })
  assert.is(asked(await ask('claude-eu-1')), 'anthropic-eu')
  assert.is(asked(await ask('smart')), 'l1a')
  assert.is(asked(await ask('claude-us-1')), 'anthropic')
  assert.equal([second.calls[0]?.body?.model, third.calls[0]?.body?.model], ['claude-us-1', 'claude-eu-1'])
  await gateway.close()
})

test('where the chosen provider fails, each other one is asked for its own model', async () => {
  const { first, second, third, gateway, ask } = await chain()
  third.script({ status: 401 })
  first.script({ status: 401 })
  assert.is(asked(await ask('anthropic-eu/claude-x')), 'anthropic')
  assert.equal(
    [third, first, second].map(({ calls }) => calls[0]?.body?.model),
    ['claude-x', 'stub-model', 'claude-second'],
  )
  await gateway.close()
})

for (const [path, body, told] of [
  ['/api/chat', { prompt: 'hi' }, 'message'],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }, 'error.message'],
  ['/v1/responses', { input: 'hi' }, 'error.message'],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, 'error.message'],
  ['/v1beta/models/MODEL:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, 'error.message'],
] as const)
  test(`a primary without a key that is named is an error, and no other provider answers: ${path}`, async () => {
    const { first, second, gateway } = await chain({ SERVICE__EXTERNAL_LLM_API_KEY: '' })
    const ask = (model: string) =>
      gateway.post(path.replace('MODEL', model), { ...(!path.includes('MODEL') && { model }), ...body })
    const { status, json } = await ask('openai/gpt-x')
    assert.is(status, 502)
    const message = told === 'message' ? json.message : json.error.message
    assert.match(message, 'openai, which "model" names, has no key: set external_llm_api_key (SERVICE__EXTERNAL_LLM')
    assert.is(first.calls.length + second.calls.length, 0)
    assert.is(asked(await ask('gpt-x')), 'anthropic')
    await gateway.close()
  })

test('a primary that is named is asked first, whatever the order, and others for models of their own', async () => {
  const { first, second, gateway, ask } = await chain({ SERVICE__PROVIDER_ORDER: 'health' })
  first.script(...Array.from({ length: 3 }, () => ({ status: 500 })))
  // It failed, so it comes last for those who do not name it.
  await ask('gpt-x', 'one')
  first.clear()
  assert.is(asked(await ask('gpt-x', 'two')), 'anthropic')
  assert.is(asked(await ask('openai/gpt-x', 'three')), 'openai')
  first.script(...Array.from({ length: 3 }, () => ({ status: 500 })))
  assert.is(asked(await ask('openai/gpt-x', 'four')), 'anthropic')
  assert.is(second.calls.at(-1)?.body?.model, 'claude-second')
  await gateway.close()
})

for (const [wish, path, more] of [
  ['several choices', '/v1/chat/completions', { n: 2, messages: [{ role: 'user', content: 'hi' }] }],
  ['an operation', '/v1/embeddings', { input: 'hi' }],
] as const)
  test(`what the chosen provider cannot say is refused and asked of nobody else: ${wish}`, async () => {
    const { first, second, third, gateway } = await chain({
      SERVICE__MODEL_ROUTES: JSON.stringify({ 'claude-*': 'anthropic' }),
    })
    for (const model of ['anthropic-eu/claude-x', 'claude-x']) {
      const { status, json } = await gateway.post(path, { model, ...more })
      assert.equal([status, json.error.type], [400, 'invalid_request_error'])
      assert.is(json.error.param, wish === 'an operation' ? 'model' : 'n')
    }
    for (const { calls } of [first, second, third]) assert.is(calls.length, 0)
    await gateway.close()
  })

test('a model of the chosen vendor is sent to no vendor that has none of its own', async () => {
  const { first, second, third, gateway, ask } = await chain({ SERVICE__EXTERNAL_LLM_MODEL: '' })
  third.script({ status: 401 })
  await ask('anthropic-eu/claude-x')
  const others = [...first.calls, ...second.calls].map(({ body }) => body?.model)
  assert.ok(others.length > 0)
  assert.not.ok(others.includes('claude-x'))
  await gateway.close()
})

test.run()
