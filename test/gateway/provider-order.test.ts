import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

interface Given {
  readonly settings?: Readonly<Record<string, string>>
  /** Fields of the two entries behind the primary. */
  readonly entries?: readonly [object, object]
  readonly clock?: Clock
}

/** A primary and two fallbacks, each a vendor of its own. */
async function chain({ settings, entries = [{}, {}], clock }: Given) {
  const vendors = await Promise.all([startUpstream(), startUpstream(), startUpstream()])
  const [openai, groq, mistral] = vendors
  const fallback = [
    { provider: 'groq', url: groq.url, api_key: 'k', model: 'groq-model', ...entries[0] },
    { provider: 'mistral', url: mistral.url, api_key: 'k', model: 'mistral-model', ...entries[1] },
  ]
  const gateway = await startGateway({
    upstream: openai,
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback), ...settings },
    ...(clock && { clock }),
  })
  let asked = 0
  const ask = async (more: object = {}) => {
    const body = { model: 'client-model', messages: [{ role: 'user', content: `question ${asked++}` }], ...more }
    const reply = await gateway.send('/v1/chat/completions', JSON.stringify(body))
    return { ...reply, provider: reply.headers.get('x-service-provider') }
  }
  const close = async (): Promise<void> => {
    await gateway.close()
    await Promise.all(vendors.map(vendor => vendor.close()))
  }
  return { openai, groq, mistral, gateway, ask, close }
}

test('by weight each provider is asked for its share, and for its own model', async () => {
  let seed = 1
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const { openai, groq, mistral, ask, close } = await chain({
    settings: { SERVICE__PROVIDER_ORDER: 'weighted' },
    entries: [{ weight: 3 }, { weight: 0 }],
    clock: { ...systemClock, random },
  })
  for (let n = 0; n < 80; n++) await ask()
  assert.is(openai.calls.length + groq.calls.length, 80)
  assert.ok(groq.calls.length > 45 && openai.calls.length > 8, `${openai.calls.length}:${groq.calls.length}`)
  assert.is(mistral.calls.length, 0)
  assert.equal([openai.calls[0]?.body?.model, groq.calls[0]?.body?.model], ['client-model', 'groq-model'])
  openai.script(() => ({ status: 401 }))
  groq.script(() => ({ status: 401 }))
  assert.is((await ask()).provider, 'mistral')
  await close()
})

test('by health one that fails is asked after the others, before any circuit opens', async () => {
  const { openai, groq, ask, close } = await chain({
    settings: { SERVICE__PROVIDER_ORDER: 'health' },
    clock: { ...systemClock, random: () => 0 },
  })
  openai.script({ status: 500 }, { status: 500 }, { status: 500 })
  await ask()
  const before = openai.calls.length
  assert.is((await ask()).provider, 'groq')
  assert.is(openai.calls.length, before)
  assert.ok(groq.calls.length >= 1)
  await close()
})

test('by price the cheapest is asked first, and a provider that the client names stays first', async () => {
  const per = (usd: number) => ({ input_cost_per_million_usd: usd, output_cost_per_million_usd: usd })
  const { ask, close } = await chain({
    settings: {
      SERVICE__PROVIDER_ORDER: 'price',
      SERVICE__USAGE_PRICING: JSON.stringify({ openai: per(5), groq: per(2), mistral: per(1) }),
    },
  })
  assert.is((await ask()).provider, 'mistral')
  assert.is((await ask({ model: 'groq/some-model' })).provider, 'groq')
  await close()
})

for (const stream of [false, true])
  test(`a second provider is asked while the first is silent, and the first is hung up on (${stream ? 'streamed' : 'whole'})`, async () => {
    const { openai, groq, mistral, gateway, ask, close } = await chain({
      settings: { SERVICE__HEDGE_AFTER_MS: '20', SERVICE__HEDGE_BUDGET: '1' },
    })
    openai.script({ silent: true })
    const reply = await ask({ stream })
    assert.is(reply.status, 200)
    assert.is(reply.provider, 'groq')
    assert.is(await openai.calls[0]?.aborted, true)
    assert.equal([openai.calls.length, groq.calls.length, mistral.calls.length], [1, 1, 0])
    const { json } = await gateway.get('/debug/providers')
    assert.equal(
      json.providers.map(({ requests_total, errors_total }: Record<string, number>) => [requests_total, errors_total]),
      [
        [1, 0],
        [1, 0],
        [0, 0],
      ],
    )
    await close()
  })

test('a stream whose head came and whose first words do not is hedged, too', async () => {
  const { openai, ask, close } = await chain({
    settings: { SERVICE__HEDGE_AFTER_MS: '20', SERVICE__HEDGE_BUDGET: '1' },
  })
  openai.script({ stall: true })
  assert.is((await ask({ stream: true })).provider, 'groq')
  assert.is(await openai.calls[0]?.aborted, true)
  await close()
})

test('requests that a vendor keeps the answers of are not hedged', async () => {
  const HEDGE_MS = 4321
  let hedges = 0
  const clock: Clock = {
    ...systemClock,
    after(ms, run) {
      if (ms === HEDGE_MS) hedges++
      return systemClock.after(ms, run)
    },
  }
  const { gateway, close } = await chain({
    settings: {
      SERVICE__HEDGE_AFTER_MS: String(HEDGE_MS),
      SERVICE__HEDGE_BUDGET: '1',
      SERVICE__LLM_PROVIDER: 'openai-responses',
    },
    clock,
  })
  const kept = await gateway.post('/v1/responses', { model: 'm', input: 'keep this' })
  assert.is(kept.status, 200)
  assert.is(hedges, 0)
  const unkept = await gateway.post('/v1/responses', { model: 'm', input: 'do not keep this', store: false })
  assert.is(unkept.status, 200)
  assert.is(hedges, 1)
  await close()
})

test.run()
