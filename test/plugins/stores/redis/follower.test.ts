import type { Store } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import redis from '../../../../plugins/stores/redis.ts'
import { type ManualClock, testHost } from '../../../contracts/host.ts'
import { RealTries, startRedis, startRedisCluster, startSentinelGroup } from '../../../support/redis.ts'
import { until } from '../../../support/until.ts'

const LIFE = { ttlSecs: 60, staleSecs: 0 }
const PREFIX = 'of [a*model]?:'
const taken: (() => Promise<void>)[] = []
test.after(async () => {
  for (const giveBack of taken.toReversed()) await giveBack()
})

async function open(url: string, clock = new RealTries()): Promise<Store> {
  const host = testHost('store', { name: 'vectors', clock })
  taken.push(() => host.dispose())
  const store = host.apply(redis, { url })
  await host.start()
  host.ready()
  return store
}

/** What a store tells a follower, as it stands now. */
function following(store: Store): { readonly held: Map<string, string>; stop(): void } {
  const held = new Map<string, string>()
  const stopping = new AbortController()
  taken.push(async () => stopping.abort())
  assert.ok(store.follow)
  store.follow(
    PREFIX,
    (key, value) => {
      if (value) held.set(key, Buffer.from(value).toString())
      else held.delete(key)
    },
    stopping.signal,
  )
  return { held, stop: () => stopping.abort() }
}

async function followsThrough(url: string): Promise<void> {
  const [one, two] = [await open(url), await open(url)]
  for (let i = 0; i < 100; i++) await one.set(`${PREFIX}${i}`, Buffer.from(`value ${i}`), LIFE)
  await one.set('of another model:1', Buffer.from('not followed'), LIFE)
  const [first, second] = [following(one), following(two)]
  await until('all that was there is told', () => first.held.size === 100 && second.held.size === 100)
  assert.is(second.held.get(`${PREFIX}42`), 'value 42')

  await one.set(`${PREFIX}42`, Buffer.from('changed'), LIFE)
  await one.set(`${PREFIX}new`, Buffer.from('\u0000\n'), LIFE)
  await one.set('of another model:2', Buffer.from('not followed'), LIFE)
  await one.delete(`${PREFIX}7`)
  await until('what is written is told', () => second.held.size === 100 && !second.held.has(`${PREFIX}7`))
  assert.is(second.held.get(`${PREFIX}42`), 'changed')
  assert.is(second.held.get(`${PREFIX}new`), '\u0000\n')
  assert.ok([...second.held.keys()].every(key => key.startsWith(PREFIX)))

  second.stop()
  await one.set(`${PREFIX}later`, Buffer.from('x'), LIFE)
  await until('the others go on', () => first.held.has(`${PREFIX}later`))
  assert.not.ok(second.held.has(`${PREFIX}later`))
}

test('a follower is told what one server holds, then what is written and deleted', async () => {
  const server = await startRedis()
  taken.push(() => server.close())
  await followsThrough(server.url)
})

test('and what all nodes of a cluster hold', async () => {
  const cluster = await startRedisCluster()
  taken.push(() => cluster.close())
  await followsThrough(cluster.url)
})

/** Writes until one gets through, as writes of an outage are lost, and waits until all of `helds` have heard of it. */
async function healed(writer: Store, helds: readonly Map<string, string>[], name: string, clock: ManualClock) {
  await until('the writer is back', async () => {
    await writer.set(`${PREFIX}${name}`, Buffer.from(name), LIFE)
    return true
  })
  await until('all have heard', async () => {
    await clock.advance(20) // a follower rests before it tries again
    return helds.every(held => held.has(`${PREFIX}${name}`))
  })
}

test('a cluster whose node was away is followed on, and what it lost meanwhile is found again', async () => {
  const cluster = await startRedisCluster()
  taken.push(() => cluster.close())
  const clock = new RealTries()
  const [one, two] = [await open(cluster.url, clock), await open(cluster.url, clock)]
  const [first, second] = [following(one), following(two)]
  const helds = [first.held, second.held]
  await healed(one, helds, 'before', clock)
  for (const node of cluster.nodes) {
    await node.kill()
    await until('the writer notices', async () => {
      for (let i = 0; i < 20; i++) {
        const written = one.set(`${PREFIX}during ${i}`, Buffer.from('?'), LIFE)
        if (
          await written.then(
            () => false,
            () => true,
          )
        )
          return true
      }
      return false
    })
    await node.restart()
    await cluster.complete()
    await healed(one, helds, `after ${node.port}`, clock)
    await healed(two, helds, `and the other way ${node.port}`, clock)
  }
})

test('behind a sentinel the new master is followed, whether the old one lives on or dies', async () => {
  const group = await startSentinelGroup()
  taken.push(() => group.close())
  const clock = new RealTries()
  const [one, two] = [await open(group.url, clock), await open(group.url, clock)]
  const [first, second] = [following(one), following(two)]
  const helds = [first.held, second.held]
  await healed(one, helds, 'before', clock)
  await group.failOver()
  await group.demoted()
  await healed(one, helds, 'after', clock)
  assert.is(await group.replica.command('EXISTS', `deflector:vectors:${PREFIX}after`), 1)
  await group.master.kill()
  await healed(two, helds, 'later', clock)
})

test('an outage is made up for: what was written meanwhile is told afterwards', async () => {
  const server = await startRedis()
  taken.push(() => server.close())
  const clock = new RealTries()
  const [one, two] = [await open(server.url), await open(server.url, clock)]
  following(one)
  const { held } = following(two)
  await one.set(`${PREFIX}before`, Buffer.from('1'), LIFE)
  await until('it is told', () => held.has(`${PREFIX}before`))
  await server.command('CLIENT', 'KILL', 'TYPE', 'normal')
  await until('the writer is back', async () => {
    await one.set(`${PREFIX}after`, Buffer.from('2'), LIFE)
    return true
  })
  assert.not.ok(held.has(`${PREFIX}after`), 'the follower rests before it tries again')
  await until('it is told as well', async () => {
    await clock.advance(10)
    return held.has(`${PREFIX}after`)
  })
})

test('what others put below the prefix is passed over, and all else is told', async () => {
  const server = await startRedis()
  taken.push(() => server.close())
  const clock = new RealTries()
  const host = testHost('store', { name: 'vectors', clock })
  taken.push(() => host.dispose())
  const one = host.apply(redis, { url: server.url })
  await host.start()
  await until('it is up', async () => {
    await one.set(`${PREFIX}good`, Buffer.from('1'), LIFE)
    return true
  })
  const at = (name: string): string => `deflector:vectors:${PREFIX}${name}`
  await server.command('RPUSH', at('list'), 'a secret')
  await server.command('SET', at('text'), 'a secret')
  await server.command('COPY', at('good'), at('copy'))
  await server.command('SETRANGE', at('huge'), 300 << 20, 'x')
  const { held } = following(one)
  await until('what is there is told', () => held.size === 1)
  const notes = `deflector:vectors~written:${PREFIX}`
  for (const name of ['list', 'text', 'copy', 'huge']) await server.command('XADD', notes, '*', 'key', at(name))
  for (const odd of ['', 'nothing of ours', `deflector:other:${PREFIX}`]) {
    await server.command('XADD', notes, '*', 'key', odd, 'more', 'x')
  }
  await one.set(`${PREFIX}later`, Buffer.from('2'), LIFE)
  await until('what is written later is told', () => held.has(`${PREFIX}later`))
  assert.equal([...held.keys()].sort(), [`${PREFIX}good`, `${PREFIX}later`])
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
  assert.not.match(JSON.stringify(host.logged), /secret|list/)
})

test('a store that is cleared says so', async () => {
  const server = await startRedis()
  taken.push(() => server.close())
  const [one, two] = [await open(server.url), await open(server.url)]
  const cleared: string[] = []
  following(one)
  const stopping = new AbortController()
  taken.push(async () => stopping.abort())
  two.follow?.(PREFIX, (key, value) => value ?? cleared.push(key), stopping.signal)
  await one.set(`${PREFIX}a`, Buffer.from('1'), LIFE)
  await until('it is followed', async () => Number(await server.command('DBSIZE')) === 2)
  await one.clear?.()
  await until('it is told', () => cleared.includes(PREFIX))
})

test('a store that nobody follows notes nothing', async () => {
  const server = await startRedis()
  taken.push(() => server.close())
  const store = await open(server.url)
  await store.set(`${PREFIX}a`, Buffer.from('1'), LIFE)
  assert.is(await server.command('DBSIZE'), 1)
  const { stop } = following(store)
  await store.set(`${PREFIX}b`, Buffer.from('1'), LIFE)
  assert.is(await server.command('DBSIZE'), 3)
  assert.ok(Number(await server.command('PTTL', `deflector:vectors~written:${PREFIX}`)) > 0)
  stop()
})

test.run()
