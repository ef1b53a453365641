import { bucketsOf, costOf, type Price, pricing } from 'deflector/pricing'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { priceTable } from '../../../plugins/pricing/price-table.ts'
import { pricedVendor } from '../../../plugins/pricing/vendors.ts'
import { aliases } from '../../../plugins/providers/index.ts'

const { priceOf, listDate } = pricing()
const of = (instance: string, model: string, body?: Record<string, unknown>): Price | undefined =>
  priceOf({ instance, model, body })
const rates = (price: Price | undefined): number[] | undefined => price && [price.input, price.output]

test('a listed model has its price, with the date of the list', () => {
  assert.equal(of('openai', 'gpt-4o'), {
    input: 2.5,
    output: 10,
    cacheRead: 1.25,
    source: 'listed',
    asOf: '2026-07-02',
  })
  assert.is(listDate, '2026-07-02')
})

test('a row with a date of its own comes before the one without', () => {
  assert.equal(rates(of('openai', 'gpt-4o-2024-05-13')), [5, 15])
  assert.equal(rates(of('openai', 'gpt-4o-2031-01-01')), [2.5, 10])
  assert.equal(rates(of('anthropic', 'claude-haiku-4-5-20310101')), rates(of('anthropic', 'claude-haiku-4-5')))
})

test('vendor segments, editions and other spellings of a vendor do not matter', () => {
  assert.equal(rates(of('vertex', 'claude-opus-4-8')), rates(of('vertex', 'claude-opus-4-8@default')))
  assert.equal(rates(of('bedrock-messages', 'anthropic.claude-haiku-4-5')), [1, 5])
  assert.equal(rates(of('grok-responses', 'grok-4.3')), rates(of('xai', 'grok-4.3')))
  assert.ok(of('xai', 'grok-4.3'))
  assert.equal(rates(of('gemini', 'models/gemini-2.5-flash')), [0.3, 2.5])
})

test('a region with a surcharge costs a tenth more', () => {
  const plain = of('bedrock', 'anthropic.claude-sonnet-4-6')
  const europe = of('bedrock', 'eu.anthropic.claude-sonnet-4-6')
  assert.ok(plain && europe)
  assert.ok(Math.abs(europe.input / plain.input - 1.1) < 1e-9)
  assert.equal(rates(of('bedrock', 'us.anthropic.claude-sonnet-4-6')), rates(plain))
})

test('a reseller without a row has the price of the maker, and says that it is assumed', () => {
  const borrowed = of('github', 'openai/gpt-4o')
  assert.equal(rates(borrowed), [2.5, 10])
  assert.is(borrowed?.source, 'assumed')
})

test('an unknown price is unknown, not free, and hosts of open models borrow none', () => {
  assert.is(of('openai', 'gpt-of-tomorrow'), undefined)
  assert.is(of('together', 'deepseek-chat-of-somebody'), undefined)
  assert.is(of('hyperbolic', 'mistral-large-latest'), undefined)
  assert.is(priceOf({ instance: 'openai', model: undefined }), undefined)
  assert.is(costOf({ input: 1, output: 1 }, of('openai', 'gpt-of-tomorrow')), undefined)
})

test('local servers are free whatever they run', () => {
  const price = of('ollama', 'whatever:7b')
  assert.ok(price)
  assert.is(costOf({ input: 1000, output: 1000 }, price), 0)
})

test('a later single reading of a price says that it is assumed', () => {
  assert.is(of('anthropic', 'claude-opus-5')?.source, 'assumed')
})

test('the price of the operator stands over the list: of the instance first, then of the vendor', () => {
  const own = pricing({
    groq: { input_cost_per_million_usd: 1, output_cost_per_million_usd: 2 },
    'groq-eu': { input_cost_per_million_usd: 3, output_cost_per_million_usd: 4 },
    openai: { input_cost_per_million_usd: 7 },
  })
  const model = 'openai/gpt-oss-20b'
  assert.equal(own.priceOf({ instance: 'groq-eu', vendor: 'groq', model }), {
    input: 3,
    output: 4,
    source: 'configured',
  })
  assert.equal(rates(own.priceOf({ instance: 'groq-us', vendor: 'groq', model })), [1, 2])
  assert.equal(rates(own.priceOf({ instance: 'fast', vendor: 'groq-responses', model: 'of my own' })), [1, 2])
  const alias = pricing({ togetherai: { input_cost_per_million_usd: 1, output_cost_per_million_usd: 2 } })
  assert.equal(rates(alias.priceOf({ instance: 'open', vendor: 'together', model })), [1, 2])
  assert.equal(rates(own.priceOf({ instance: 'openai', model: 'gpt-4o' })), [7, 10])
  assert.is(own.priceOf({ instance: 'openai', model: 'gpt-of-tomorrow' }), undefined)
})

test('the name of a provider that is also a property of every object has no price', () => {
  assert.is(of('constructor', 'constructor'), undefined)
  assert.is(of('openai', 'constructor'), undefined)
})

test('cached tokens have rates of their own, or that of plain input', () => {
  const usage = { input: 1_000_000, output: 0, cacheRead: 400_000, cacheWrite: 100_000 }
  const claude = of('anthropic', 'claude-haiku-4-5')
  assert.ok(claude)
  const { input, cacheRead = 0, cacheWrite = 0 } = claude
  assert.is(costOf(usage, claude), 0.5 * input + 0.4 * cacheRead + 0.1 * cacheWrite)
  assert.is(costOf(usage, claude, { longCache: true }), 0.5 * input + 0.4 * cacheRead + 0.1 * 2 * input)
  // Where the vendor tells which of them live for an hour, the request is not asked.
  const split = { input: 100_000, output: 0, cacheWrite: 100_000, cacheWriteLong: 10_000 }
  for (const longCache of [true, false])
    assert.is(costOf(split, claude, { longCache }), (90_000 * cacheWrite + 10_000 * 2 * input) / 1e6)
  assert.is(costOf(usage, { input: 2, output: 4, source: 'listed' }), 2)
})

test('above the bound of a tier the whole request has its rates', () => {
  const price = of('openai', 'gpt-5.4')
  assert.ok(price)
  assert.is(costOf({ input: 272_000, output: 1_000_000 }, price), 0.68 + 15)
  assert.is(costOf({ input: 300_000, output: 1_000_000 }, price), 1.5 + 22.5)
  assert.is(costOf({ input: 300_000, output: 1_000_000, largestPrompt: 200_000 }, price), 0.75 + 15)
  assert.is(costOf({ input: 100, output: 1_000_000 }, price, { promptTokens: 300_000 }), 0.0005 + 22.5)
})

test('a mode that the body chooses has its rates', () => {
  assert.equal(rates(of('openai', 'gpt-5.4', { service_tier: 'priority' })), [5, 30])
  assert.equal(rates(of('openai', 'gpt-5.4', { service_tier: 'default' })), [2.5, 15])
  assert.equal(rates(of('anthropic', 'claude-opus-4-8', { speed: 'fast' })), [10, 50])
})

test('what the vendor says it used comes before what was asked for', () => {
  const at = (service_tier: string | undefined, tier: string | undefined) =>
    rates(priceOf({ instance: 'openai', model: 'gpt-5.4', body: { service_tier }, tier }))
  assert.equal(at(undefined, 'priority'), [5, 30])
  assert.equal(at('priority', 'default'), [2.5, 15])
  for (const untold of [undefined, 'auto']) assert.equal(at('priority', untold), [5, 30])
})

test('reasoning costs as much as output, unless it has a rate of its own', () => {
  const usage = { input: 0, output: 1_000_000, reasoning: 250_000 }
  const base = { input: 1, output: 8, source: 'listed' } as const
  assert.is(costOf(usage, base), 8)
  assert.is(costOf(usage, { ...base, reasoning: 4 }), 7)
})

test('the parts of a usage are disjoint and sum to its total, also where a vendor overcounts its cache', () => {
  for (const usage of [
    { input: 10, output: 5 },
    { input: 10, output: 5, cacheRead: 4, cacheWrite: 3, reasoning: 2 },
    { input: 10, output: 5, cacheRead: 12, cacheWrite: 3, reasoning: 9 },
  ]) {
    const { fresh, read, written, output, reasoning } = bucketsOf(usage)
    assert.is(fresh + read + written + output, 15)
    assert.ok(Math.min(fresh, read, written) >= 0 && reasoning <= output)
  }
})

/** Vendors without public prices in the list, besides those whose rows are another's. */
const UNLISTED = ['custom', 'galadriel', 'hyperbolic', 'mira', 'sambanova', 'friendli', 'inference', 'github', 'vercel']

test('every provider name stands for a vendor of the list, or is known to have none', () => {
  const listed = new Set([...Object.keys(priceTable().prices), ...UNLISTED])
  for (const name of Object.keys(aliases)) assert.ok(listed.has(pricedVendor(name)), name)
})

test.run()
