import type { Attempt, AttemptOutcome } from 'deflector'
import { ProviderError } from 'deflector'
import { ManualClock } from 'deflector/contracts/host'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Candidate } from '../../../../plugins/layers/cloud/candidate.ts'
import { Order, type OrderOptions, priceIn } from '../../../../plugins/layers/cloud/order.ts'
import { ProviderRecords } from '../../../../plugins/layers/cloud/provider-records.ts'
import { handleOf, provider, says } from './double.ts'

const candidate = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  provider: handleOf(name, provider([says('hi')])),
  model: 'm',
  ...more,
})
const three = ['a', 'b', 'c'].map(name => candidate(name))
const names = (candidates: readonly Candidate[]): string => candidates.map(({ name }) => name).join('')

function ordering(options: Partial<OrderOptions>, dice: () => number = () => 0.5, prices = priceIn({}, {})) {
  const clock = new ManualClock(undefined, dice)
  const records = new ProviderRecords(clock)
  const order = new Order(clock, { order: 'listed', weights: {}, ...options }, records, prices)
  const ended = (name: string, outcome: Partial<AttemptOutcome>, stream = false): void =>
    records.attempted(
      { provider: name, stream } as Attempt,
      {
        outcome: 'answered',
        ms: 0,
        error: undefined,
        status: 200,
        usage: undefined,
        firstTokenMs: undefined,
        ...outcome,
      },
      text => text,
    )
  return { clock, order, records, ended }
}
const failure = { outcome: 'failed', error: new ProviderError('unavailable', 'down') } as const

test('as listed', () => {
  assert.is(ordering({}).order.of(three, false), three)
})

test('by chance each comes first as often as its weight says', () => {
  let seed = 7
  const dice = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const { order } = ordering({ order: 'weighted', weights: { a: 6, b: 3, c: 1 } }, dice)
  const first = { a: 0, b: 0, c: 0 }
  const second = { a: 0, b: 0, c: 0 }
  for (let turn = 0; turn < 10_000; turn++) {
    const drawn = order.of(three, false)
    first[drawn[0]?.name as 'a']++
    if (drawn[0]?.name === 'a') second[drawn[1]?.name as 'a']++
  }
  assert.ok(Math.abs(first.a - 6000) < 300 && Math.abs(first.b - 3000) < 300, JSON.stringify(first))
  // Of what is left when `a` has failed, `b` has three quarters.
  assert.ok(Math.abs(second.b / (second.b + second.c) - 0.75) < 0.05, JSON.stringify(second))
})

test('whatever the weights and the dice, each is asked once, those without weight last, and a chosen one first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1000, noNaN: true })), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      fc.option(fc.nat(5)),
      (weights, dice, chosen) => {
        const given = weights.map((_, at) => candidate(`p${at}`, at === chosen ? { chosen: true } : {}))
        const byName = Object.fromEntries(weights.map((weight, at) => [`p${at}`, weight]))
        const drawn = ordering({ order: 'weighted', weights: byName }, () => dice).order.of(given, false)
        assert.equal(new Set(drawn), new Set(given))
        assert.is(drawn.length, given.length)
        const free = drawn.filter(one => !one.chosen)
        if (free.length < drawn.length) assert.ok(drawn[0]?.chosen)
        const zero = free.findIndex(({ name }) => byName[name] === 0)
        if (zero >= 0) assert.ok(free.slice(zero).every(({ name }) => byName[name] === 0))
      },
    ),
  )
})

test('by health the quicker comes first, and one that is not known is tried', () => {
  const { order, ended } = ordering({ order: 'health' })
  ended('a', { ms: 900 })
  ended('b', { ms: 300 })
  assert.is(names(order.of(three, false)), 'bca')
  ended('c', { ms: 5000 })
  assert.is(names(order.of(three, false)), 'bac')
})

test('by health small differences keep the order of the list', () => {
  const { order, ended } = ordering({ order: 'health' })
  for (const [name, ms] of [
    ['a', 310],
    ['b', 300],
    ['c', 305],
  ] as const)
    ended(name, { ms })
  assert.is(names(order.of(three, false)), 'abc')
})

test('streams are told by their first content, whole answers by their end', () => {
  const { order, ended } = ordering({ order: 'health' })
  for (const name of ['a', 'b', 'c']) {
    ended(name, { ms: 60_000, firstTokenMs: name === 'c' ? 100 : 800 }, true)
    ended(name, { ms: name === 'b' ? 1000 : 4000 })
  }
  assert.is(names(order.of(three, true)), 'cab')
  assert.is(names(order.of(three, false)), 'bac')
})

test('by health one that fails comes later, and is forgiven with time', async () => {
  const { clock, order, ended } = ordering({ order: 'health' })
  for (const name of ['a', 'b', 'c']) ended(name, { ms: 300 })
  for (let n = 0; n < 4; n++) ended('a', failure)
  assert.is(names(order.of(three, false)), 'bca')
  await clock.advance(600_000)
  assert.is(names(order.of(three, false)), 'abc')
})

test('what a client asked wrongly, or left, is no failure', () => {
  const { order, ended } = ordering({ order: 'health' })
  for (const name of ['a', 'b', 'c']) ended(name, { ms: 300 })
  for (let n = 0; n < 9; n++) {
    ended('a', { outcome: 'failed', error: new ProviderError('bad_request', 'no') })
    ended('a', { outcome: 'cancelled' })
    ended('a', { outcome: 'refused', error: new ProviderError('rate_limited', 'a quota') })
  }
  assert.is(names(order.of(three, false)), 'abc')
})

test('by price the cheapest comes first, and what has no price last', () => {
  const per = (usd: number) => ({ input_cost_per_million_usd: usd, output_cost_per_million_usd: usd })
  const prices = priceIn({ a: per(3), vendor: per(1) }, { c: 'vendor' })
  const { order } = ordering({ order: 'price' }, undefined, prices)
  assert.is(names(order.of(three, false)), 'cab')
})

test('prices are those of the model that each is asked for', () => {
  const { order } = ordering({ order: 'price' }, undefined, priceIn({}, { dear: 'anthropic', cheap: 'anthropic' }))
  const dear = candidate('dear', { model: 'claude-opus-4-5' })
  const cheap = candidate('cheap', { model: 'claude-haiku-4-5' })
  assert.is(order.of([dear, cheap], false)[0], cheap)
})

test.run()
