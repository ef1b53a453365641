import { bytesAnswer, type Provider, ProviderError, promptOf } from 'deflector'
import { ManualClock, TestExchange, testHost } from 'deflector/contracts/host'
import { messages } from 'deflector/formats/messages'
import { counting } from 'deflector/formats/token-count'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import vendorCount from '../../../plugins/layers/vendor-count.ts'
import { checkLayer } from '../../contracts/layer.ts'

const format = counting(messages, { encodeCount: tokens => ({ input_tokens: tokens }) })
const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

async function exchange(facts: ConstructorParameters<typeof TestExchange>[0] = {}): Promise<TestExchange> {
  const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
  const one = new TestExchange({ prompt, ...facts })
  await one.read()
  return one
}

const counts = (complete: Provider['complete'], more: Partial<Provider> = {}): Provider => ({
  operations: ['chat', 'count_tokens'],
  complete,
  ...more,
})
const answer = bytesAnswer(Buffer.from('{"input_tokens":3}'))

checkLayer(vendorCount, {
  options: { chain: ['acme'] },
  around: () => ({ providers: { acme: { complete: async () => answer } } }),
  passesOn: () => new TestExchange(),
})

function layer(providers: Record<string, Provider>, options: Record<string, unknown> = {}, clock = new ManualClock()) {
  const host = testHost('layer', { name: 'vendor-count', clock, providers })
  host.apply(vendorCount, { chain: Object.keys(providers), ...options })
  return host
}

test('asks the primary with its preferred key, or the provider that the request is routed to', async () => {
  const asked: unknown[] = []
  const provider = (name: string): Provider =>
    counts(
      async ({ key, model }) => {
        asked.push([name, key, model])
        return answer
      },
      {
        keys: () => [
          { key: 'second', priority: 2 },
          { key: 'first', priority: 1 },
        ],
      },
    )
  const { call } = layer({ acme: provider('acme'), backup: provider('backup') })
  await call.answer(await exchange())
  await call.answer(await exchange({ route: { provider: 'backup', model: 'theirs' } }))
  assert.equal(asked, [
    ['acme', 'first', 'm'],
    ['backup', 'first', 'theirs'],
  ])
})

test('a provider that a rule chose without a model counts for its own one', async () => {
  const models: (string | undefined)[] = []
  const backup = counts(
    async ({ model }) => {
      models.push(model)
      return answer
    },
    { model: 'own' },
  )
  await layer({ acme: counts(async () => answer), backup }).call.answer(
    await exchange({ route: { provider: 'backup' } }),
  )
  assert.equal(models, ['own'])
})

test('leaves to the next layer what a primary does not count, though a fallback would', async () => {
  const never = async () => Promise.reject(new Error('it must not be asked'))
  const { call } = layer({ acme: { complete: never }, backup: counts(never) })
  assert.is(await call.answer(await exchange()), undefined)
  const keyless = layer({ acme: counts(never, { keys: () => [] }) })
  assert.is(await keyless.call.answer(await exchange()), undefined)
  const local = await exchange({ route: { localRule: 'private' } })
  assert.is(await layer({ acme: counts(never) }).call.answer(local), undefined)
})

test('waits for a silent provider no longer than its limit', async () => {
  const clock = new ManualClock()
  const { call } = layer({ acme: counts(() => new Promise(() => {})) }, { timeout_secs: 10 }, clock)
  const asking = call.answer(await exchange())
  await clock.advance(10_000)
  assert.is(await asking, undefined)
})

test('passes a refusal of the request on, and no other failure', async () => {
  const failing = (error: ProviderError) => layer({ acme: counts(async () => Promise.reject(error)) }).call
  const refused = failing(new ProviderError('bad_request', 'no', { status: 400 })).answer(await exchange())
  const error = await refused.then(
    () => undefined,
    error => error,
  )
  assert.is(error?.code, 'vendor_refused')
  for (const reason of ['rate_limited', 'credential', 'network', 'unsayable'] as const)
    assert.is(await failing(new ProviderError(reason, 'no')).answer(await exchange()), undefined)
})

test.run()
