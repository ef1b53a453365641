import type { CounterChange, Counters, CountersChanged } from 'deflector'
import { LocalCounters, SharedCounters } from 'deflector/counters'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type TestHost, testHost } from '../../contracts/host.ts'

const DAY = 86_400_000

/** A store that several gateways count in, and that can be away. */
class Together implements Counters {
  readonly counts = new Map<string, number>()
  isAway = false

  async change(changes: readonly CounterChange[]): Promise<CountersChanged> {
    if (this.isAway) throw new Error('away')
    const now = changes.map(({ key }) => this.counts.get(key) ?? 0)
    const made = changes.every(({ by, limit }, i) => limit === undefined || (now[i] ?? 0) + by <= limit)
    if (made) for (const [i, { key, by }] of changes.entries()) this.counts.set(key, Math.max(0, (now[i] ?? 0) + by))
    return { made, counts: changes.map(({ key }) => this.counts.get(key) ?? 0) }
  }
}

interface Gateway {
  readonly host: TestHost<'layer'>
  readonly counters: SharedCounters
  take(by: number, limit?: number): Promise<boolean>
}

function gateway(store: Counters | undefined): Gateway {
  const made = testHost('layer')
  const counters = new SharedCounters(new LocalCounters(made.host, undefined), made.host)
  counters.use(store)
  const endsAt = made.clock.now() + DAY
  return {
    host: made,
    counters,
    take: async (by, limit) => (await counters.change([{ key: 'a', by, limit, endsAt }])).made,
  }
}

test('what another gateway has taken is taken', async () => {
  const store = new Together()
  const [one, two] = [gateway(store), gateway(store)]
  assert.equal([await one.take(7, 10), await two.take(4, 10), await two.take(3, 10)], [true, false, true])
  assert.is(one.counters.local.count('a'), 7)
  assert.is(two.counters.local.count('a'), 3, 'what was refused is taken back')
  assert.is(two.counters.count('a'), 10)
})

test('while the store is away each gateway counts for itself, and says so once', async () => {
  const store = new Together()
  const one = gateway(store)
  await one.take(4, 10)
  store.isAway = true
  assert.equal([await one.take(5, 10), await one.take(2, 10)], [true, false])
  const warned = one.host.logged.filter(({ level }) => level === 'warn')
  assert.is(warned.length, 1)
  assert.match(warned[0]?.message ?? '', /each gateway counts for itself/)
})

test('what was counted meanwhile is told to the store when it is back', async () => {
  const store = new Together()
  const [one, two] = [gateway(store), gateway(store)]
  store.isAway = true
  await one.take(6, 10)
  await one.take(-2)
  await two.take(3, 10)
  store.isAway = false
  assert.is(await one.take(1, 10), true)
  assert.is(store.counts.get('a'), 5)
  assert.is(await two.take(3, 10), false, '5 of one gateway, 3 of this one and 3 more are too many')
  assert.is(store.counts.get('a'), 8)
})

test('a store that is back is told without another call, and the numbers of others are known again', async () => {
  const store = new Together()
  const [one, two] = [gateway(store), gateway(store)]
  await two.take(1, 10)
  store.isAway = true
  await one.take(6, 10)
  assert.is(one.counters.isStale, true)
  await one.host.clock.advance(5000)
  store.isAway = false
  await two.take(1, 10)
  await one.host.clock.advance(1000)
  assert.is(store.counts.get('a'), 8)
  assert.equal([one.counters.isStale, one.counters.count('a')], [false, 8])
  await one.host.clock.advance(10_000)
  assert.is(store.counts.get('a'), 8, 'once')
})

test('a store that is only asked while it is away is asked again', async () => {
  const store = new Together()
  const one = gateway(store)
  store.isAway = true
  await one.counters.refresh([{ key: 'a', endsAt: one.host.clock.now() + 100 }])
  await one.host.clock.advance(2000)
  assert.is(one.counters.isStale, true)
  store.isAway = false
  await one.host.clock.advance(1000)
  assert.is(one.counters.isStale, false)
  assert.is(one.host.clock.sleeping, 0)
})

test('what the store has yet to be told it is told at the end', async () => {
  const store = new Together()
  const one = gateway(store)
  store.isAway = true
  await one.take(6, 10)
  store.isAway = false
  await one.counters.close()
  assert.is(store.counts.get('a'), 6)
  store.isAway = true
  await one.take(1, 10)
  await one.counters.close()
  assert.is(one.host.clock.sleeping, 0, 'nothing is left that runs on')
})

test('what nobody can be told any more is forgotten', async () => {
  const store = new Together()
  const one = gateway(store)
  store.isAway = true
  await one.take(6)
  one.host.clock.set(2 * DAY)
  store.isAway = false
  await one.counters.change([{ key: 'b', by: 1, endsAt: one.host.clock.now() + DAY }])
  assert.equal([store.counts.get('a'), store.counts.get('b')], [0, 1])
})

test('a store that has lost its counters gives a gateway no second budget', async () => {
  const store = new Together()
  const one = gateway(store)
  await one.take(8, 10)
  store.counts.clear()
  assert.is(await one.take(3, 10), false)
})

test('without a store the limits are looked at before anything else happens', () => {
  const { counters, host } = gateway(undefined)
  const endsAt = host.clock.now() + DAY
  void counters.change([{ key: 'a', by: 8, limit: 10, endsAt }])
  assert.is(counters.count('a'), 8)
})

test.run()
