import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Aggregates, dayOf } from '../../../../plugins/observers/usage/aggregates.ts'
import { booksOf } from '../../../../plugins/observers/usage/views.ts'
import { ManualClock } from '../../../contracts/clock.ts'
import { sampleEvent } from './sample.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 10, 22, 10, 30)

/** Books with requests so many hours before now. */
function withRequests(...hoursAgo: readonly number[]) {
  const clock = new ManualClock(NOW)
  const aggregates = new Aggregates()
  for (const [i, hours] of hoursAgo.entries()) {
    const at = NOW - hours * HOUR_MS
    aggregates.add(sampleEvent(`${i}`, at), dayOf(at))
  }
  const settled = () => Promise.resolve()
  const books = booksOf({ sums: aggregates, clock, settled }, { folder: '/f', retentionDays: 30, windowHours: 24 })
  return { books, aggregates, clock }
}

test('a window has all of its hours, and the rest of the hour in which it begins', () => {
  // 10:20, 9:40, 9:10, 8:50, and the day before at 11:00 and 10:10.
  const { books, clock } = withRequests(1 / 6, 5 / 6, 4 / 3, 5 / 3, 23.5, 24 + 1 / 3)
  assert.is(books.totals(1).requests, 3)
  assert.is(books.totals(2).requests, 4)
  assert.is(books.totals(22).requests, 4)
  assert.is(books.totals(23).requests, 5)
  assert.is(books.totals(24).requests, 6)
  clock.set(HOUR_MS)
  assert.is(books.totals(1).requests, 1)
  assert.is(books.totals(24).requests, 5)
})

test('days of UTC are apart, the newest first, and sum to the totals', () => {
  const { books } = withRequests(1, 2, 11, 12, 36)
  const days = books.daily(48)
  assert.equal(
    days.map(({ day, requests }) => [day, requests]),
    [
      ['2026-11-22', 2],
      ['2026-11-21', 2],
      ['2026-11-20', 1],
    ],
  )
  const { promptTokens, completionTokens, costUsd } = books.totals(48)
  assert.equal([promptTokens, completionTokens, costUsd], [50, 25, 2.5])
})

test('a timeline has groups of hours that begin at parts of the day, the oldest first', () => {
  // 9:30, 8:30 and 7:30, and the day before at 22:30.
  const { books } = withRequests(1, 2, 3, 12)
  const shown = (step: number) =>
    books
      .timeline('model', 24, step)
      .map(({ start, name, requests }) => [new Date(start).toISOString().slice(5, 13), name, requests])
  assert.equal(shown(3), [
    ['11-21T21', 'acme/m-1', 1],
    ['11-22T06', 'acme/m-1', 2],
    ['11-22T09', 'acme/m-1', 1],
  ])
  assert.equal(shown(24), [
    ['11-21T00', 'acme/m-1', 1],
    ['11-22T00', 'acme/m-1', 3],
  ])
  assert.equal(
    books.timeline('layer', 2, 1).map(({ name, requests, costUsd }) => [name, requests, costUsd]),
    books.timeline('model', 2, 1).map(({ requests, costUsd }) => ['l3', requests, costUsd]),
  )
})

test('hours of days that are long over are joined, and what is too old is forgotten', () => {
  const { books, aggregates } = withRequests(1, 9 * 24, 9 * 24 + 5, 20 * 24, 40 * 24)
  aggregates.compact(dayOf(NOW), 30)
  assert.is(books.totals(30 * 24).requests, 4)
  assert.is([...aggregates.hours].length, 3)
  assert.is(books.totals(24).requests, 1)
})

test('rows say by provider and model, the dearest first; costs that nobody knows are undefined', () => {
  const { books, aggregates } = withRequests(1)
  const unknown = sampleEvent('x', NOW, { provider: 'other', model: 'm-2' })
  const attempts = unknown.attempts.map(each => ({ ...each, provider: 'other', model: 'm-2', cost: null }))
  aggregates.add({ ...unknown, attempts, estimated_cost_usd: null }, dayOf(NOW))
  assert.equal(
    books.rows(24).map(({ provider, model, costUsd, unpriced }) => [provider, model, costUsd, unpriced]),
    [
      ['acme', 'm-1', 0.5, 0],
      ['other', 'm-2', undefined, 1],
    ],
  )
})

test('a deflection without a price cost nothing, and saved what nobody knows', () => {
  const { books, aggregates } = withRequests()
  const deflected = { layer: 'l1a', deflected: true, attempts: [], estimated_cost_usd: 0, saved_cost_usd: null }
  aggregates.add({ ...sampleEvent('x', NOW), ...deflected }, dayOf(NOW))
  const { costUsd, savedCostUsd, unpriced } = books.totals(24)
  assert.equal([costUsd, savedCostUsd, unpriced], [0, undefined, 1])
})

test('an attempt that ended late adds its tokens, and no request', () => {
  const { books, aggregates } = withRequests(1)
  aggregates.add(sampleEvent('x', NOW, { late: true }), dayOf(NOW))
  const { requests, completionTokens } = books.totals(24)
  assert.equal([requests, completionTokens], [1, 10])
})

test('a failed-over request counts once, and each vendor call where it was made', () => {
  const { books, aggregates } = withRequests()
  const event = sampleEvent('x', NOW)
  const other = event.attempts.map(each => ({ ...each, provider: 'other', key: 'first' }))
  aggregates.add({ ...event, attempts: [...other, ...event.attempts] }, dayOf(NOW))
  assert.equal(
    books.rows(24).map(({ provider, requests, completionTokens }) => [provider, requests, completionTokens]),
    [
      ['acme', 1, 5],
      ['other', 0, 5],
    ],
  )
  assert.equal([...books.by('key', 24).keys()], ['other/first'])
})

test('a ledger of before says `L1a_ExactCache` for `l1a`; a layer with a name of its own keeps it', () => {
  const { books, aggregates } = withRequests(1)
  for (const name of ['L3_Cloud', 'L2_5_ContextOptimiser', 'FAQ'])
    aggregates.add(sampleEvent(name, NOW, { final_layer: name }), dayOf(NOW))
  assert.equal(
    [...books.by('layer', 24)].map(([name, { requests }]) => [name, requests]),
    [
      ['l3', 2],
      ['l2_5', 1],
      ['FAQ', 1],
    ],
  )
})

test('requests without a gateway key have a row, so that all rows add up to the totals', () => {
  const { books, aggregates } = withRequests(1, 2)
  aggregates.add(sampleEvent('x', NOW, { principal: 'ann' }), dayOf(NOW))
  const rows = [...books.by('principal', 24)].map(([name, { requests }]) => [name, requests])
  assert.equal(rows.toSorted(), [
    ['ann', 1],
    ['none', 2],
  ])
  assert.is(books.totals(24).requests, 3)
})

test('a model that was only asked in vain has no row', () => {
  const { books, aggregates } = withRequests()
  const event = sampleEvent('a', NOW)
  const [attempt] = event.attempts
  assert.ok(attempt)
  const nothing = Object.fromEntries(Object.keys(attempt.usage).map(part => [part, 0]))
  const vain = { ...attempt, provider: 'away', cost: 0, usage: { ...attempt.usage, ...nothing, estimated: false } }
  aggregates.add({ ...event, attempts: [vain, attempt] }, dayOf(NOW))
  assert.equal(
    books.rows(24).map(({ provider }) => provider),
    ['acme'],
  )
})

test.run()
