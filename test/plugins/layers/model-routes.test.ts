import { test } from 'uvu'
import * as assert from 'uvu/assert'
import modelRoutes from '../../../plugins/layers/model-routes.ts'
import { plainPrompt, TestExchange, testHost } from '../../contracts/host.ts'
import { checkLayer } from '../../contracts/layer.ts'

const chain = ['openai', 'groq', 'anthropic-eu']

checkLayer(modelRoutes, { options: { chain }, passesOn: () => new TestExchange() })

async function routed(model: string | undefined, routes: Record<string, string> = {}, resolved = model) {
  const host = testHost('layer')
  host.apply(modelRoutes, { chain, routes })
  const prompt = plainPrompt('hi', model === undefined ? {} : { model })
  const exchange = new TestExchange({ prompt, model: resolved })
  await host.call.receive(exchange)
  return [exchange.model, exchange.route]
}

test('an instance before the model chooses the provider', async () => {
  const named = true
  assert.equal(await routed('groq/llama-3'), ['llama-3', { provider: 'groq', model: 'llama-3', named }])
  assert.equal(await routed('groq/openai/gpt-oss-20b'), [
    'openai/gpt-oss-20b',
    { provider: 'groq', model: 'openai/gpt-oss-20b', named },
  ])
})

test('the primary by name is the primary, and known to be named', async () => {
  assert.equal(await routed('openai/gpt-5'), ['gpt-5', { named: true }])
  assert.equal(await routed('gpt-5', { 'gpt-*': 'openai' }), ['gpt-5', {}])
})

test('a model with a slash whose head is no instance stays whole', async () => {
  for (const model of ['meta/llama-3', 'Groq/llama', 'groq/', '/groq', 'groq', 'accounts/groq/models/x', ''])
    assert.equal(await routed(model), [model, {}])
})

test('patterns choose by the whole name, the first that fits', async () => {
  const routes = { 'claude-?-x': 'groq', 'claude-*': 'anthropic-eu', '*/llama.3': 'groq' }
  const chosen = async (model: string) => (await routed(model, routes))[1]
  assert.equal(await chosen('claude-4-x'), { provider: 'groq', model: 'claude-4-x' })
  assert.equal(await chosen('claude-opus-5'), { provider: 'anthropic-eu', model: 'claude-opus-5' })
  assert.equal(await chosen('meta/llama.3'), { provider: 'groq', model: 'meta/llama.3' })
  for (const model of ['my-claude-opus', 'meta/llamax3', 'CLAUDE-opus']) assert.equal(await chosen(model), {})
})

test('the name before a slash counts for more than a pattern', async () => {
  assert.equal((await routed('groq/claude-x', { 'claude-*': 'anthropic-eu' }))[1], {
    provider: 'groq',
    model: 'claude-x',
    named: true,
  })
})

test("an alias may stand for a model of a chosen provider, and the default model is the primary's", async () => {
  const named = true
  assert.equal(await routed('fast', {}, 'groq/llama-3'), ['llama-3', { provider: 'groq', model: 'llama-3', named }])
  assert.equal(await routed(undefined, {}, 'groq/llama-3'), ['groq/llama-3', {}])
})

test('a pattern for a provider that is not there is refused at once', () => {
  const host = testHost('layer')
  assert.throws(() => host.apply(modelRoutes, { chain, routes: { '*': 'nobody' } }), /nobody.*openai, groq/)
})

test.run()
