import type { ChatFormat, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletionsPlugin from '../../../plugins/providers/chat-completions.ts'
import deploymentPlugin from '../../../plugins/providers/deployment.ts'
import { aliases } from '../../../plugins/providers/index.ts'
import responsesPlugin from '../../../plugins/providers/responses.ts'
import signedPlugin from '../../../plugins/providers/signed.ts'
import subscriptionPlugin from '../../../plugins/providers/subscription/index.ts'
import type { Upstream } from '../../support/upstream.ts'
import { bench } from './vendor-faults.ts'

const PLUGINS = {
  'chat-completions': chatCompletionsPlugin,
  deployment: deploymentPlugin,
  responses: responsesPlugin,
  signed: signedPlugin,
  subscription: subscriptionPlugin,
}

/** What else is needed to reach the stub. */
const OWN: Readonly<Record<string, (upstream: Upstream) => JsonObject>> = {
  deployment: ({ port }) => ({ url: `http://127.0.0.1:${port}`, api_version: 'v1' }),
  subscription: () => ({ token_exchange: false }),
}

/** The `store` of the body that the vendor behind this name gets, where it may keep nothing. */
async function storeOf(name: string, format: ChatFormat, body: JsonObject): Promise<unknown> {
  const { use = '', options } = aliases[name] ?? {}
  const plugin = Object.entries(PLUGINS).find(([known]) => known === use)?.[1]
  if (!plugin) throw new Error(`no plugin is known for ${name}`)
  const given = (upstream: Upstream) => ({
    ...options,
    url: upstream.url,
    api_key: 'key-1234',
    ...OWN[use]?.(upstream),
  })
  let store: unknown
  await bench(
    { plugin, format, body, options: given },
    async ({ upstream, provider, call }) => {
      await provider.complete(call(body))
      assert.is(upstream.calls.length, 1)
      store = upstream.calls[0]?.body?.store
    },
    { store: false },
  )
  return store
}

const asked = Object.entries(aliases).filter(
  ([, { use, options }]) => use === 'responses' || options.wire === 'responses',
)

for (const [name] of asked)
  test(`${name} tells its vendor to keep nothing, if that is what is wanted`, async () => {
    assert.is(await storeOf(name, responses, { model: 'm', input: 'hi', store: true }), false)
  })

test('they are more than a few', () => {
  const names = asked.map(([name]) => name)
  for (const name of ['openai', 'xai', 'azure', 'copilot', 'bedrock']) assert.ok(names.includes(`${name}-responses`))
})

test('in another format the same word is the business of the client', async () => {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], store: true }
  assert.is(await storeOf('openai', chatCompletions, body), true)
})

test.run()
