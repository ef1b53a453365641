import type { Counters } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import redis from '../../../../plugins/stores/redis.ts'
import { testHost } from '../../../contracts/host.ts'
import { opened } from '../../../support/opened.ts'
import { RealTries, type RedisServer, startRedis, startRedisCluster } from '../../../support/redis.ts'

const HOUR = 3_600_000
const server = await startRedis()
const cluster = await startRedisCluster()

async function countersOf(url: string, options: object = {}): Promise<{ counters: Counters; clear(): Promise<void> }> {
  const host = testHost('store', { name: 'counters', clock: new RealTries() })
  const store = host.apply(redis, { url, ...options })
  opened(() => host.dispose())
  await host.start()
  const { counters } = store
  if (!counters) throw new Error('a Redis counts')
  return { counters, clear: async () => store.clear?.() }
}

const inAnHour = (): number => Date.now() + HOUR
const take = (counters: Counters, key: string, by: number, limit?: number) =>
  counters.change([{ key, by, limit, endsAt: inAnHour() }])

test.before.each(async () => {
  for (const one of [server, ...cluster.nodes]) await one.command('FLUSHALL')
})

for (const [what, url] of [
  ['a server', server.url],
  ['a cluster', cluster.url],
] as const) {
  test(`${what} makes all changes in one step, or none`, async () => {
    const { counters } = await countersOf(url)
    const both = (a: number, b: number) =>
      counters.change([
        { key: 'a', by: a, limit: 10, endsAt: inAnHour() },
        { key: 'b', by: b, limit: 5, endsAt: inAnHour() },
      ])
    assert.equal(await both(6, 5), { made: true, counts: [6, 5] })
    assert.equal(await both(4, 1), { made: false, counts: [6, 5] })
    assert.equal(await both(4, 0), { made: true, counts: [10, 5] })
    assert.equal(await both(-3, -9), { made: true, counts: [7, 0] })
  })

  test(`${what} lets exactly as many of two gateways through as a limit allows`, async () => {
    const gateways = [await countersOf(url), await countersOf(url)]
    const asked = await Promise.all(
      Array.from({ length: 64 }, (_, i) => gateways[i % 2] ?? gateways[0]).map(gateway =>
        gateway ? take(gateway.counters, 'a', 10, 70) : undefined,
      ),
    )
    assert.is(asked.filter(changed => changed?.made).length, 7)
  })
}

test('counts of billions of billionths stay exact', async () => {
  const { counters } = await countersOf(server.url)
  const large = 9_000_000_000_000_001
  assert.equal(await take(counters, 'a', large), { made: true, counts: [large] })
  assert.equal((await take(counters, 'a', 1, large)).made, false)
  assert.equal((await take(counters, 'a', 1, large + 1)).counts, [large + 1])
})

test('a counter expires an hour after its window, and a look at it makes none', async () => {
  const { counters } = await countersOf(server.url)
  await take(counters, 'seen', 0)
  await take(counters, 'a', 1)
  assert.equal(await server.command('KEYS', '*'), ['deflector:counters~{counters}:a'])
  const left = Number(await server.command('PTTL', 'deflector:counters~{counters}:a'))
  assert.ok(left > 2 * HOUR - 60_000 && left <= 2 * HOUR, String(left))
})

test('clearing the entries of a store leaves its counters', async () => {
  const { counters, clear } = await countersOf(server.url)
  await take(counters, 'a', 5)
  await clear()
  assert.equal((await take(counters, 'a', 0)).counts, [5])
})

test('throws while Redis is away', async () => {
  const mine: RedisServer = await startRedis()
  const { counters } = await countersOf(mine.url, { command_timeout_ms: 150, connect_timeout_ms: 300 })
  await mine.kill()
  const failed = await take(counters, 'a', 1).then(
    () => false,
    () => true,
  )
  assert.ok(failed)
})

test.run()
