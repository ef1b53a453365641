import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Store } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import redis from '../../../plugins/stores/redis.ts'
import { Keep, ManualClock, type TestHost, testHost } from '../../contracts/host.ts'
import { checkStore } from '../../contracts/store.ts'
import {
  freePort,
  RealTries,
  type RedisServer,
  startRedis,
  startRedisCluster,
  startSentinelGroup,
} from '../../support/redis.ts'
import { until } from '../../support/until.ts'

const LIFE = { ttlSecs: 60, staleSecs: 60 }
/** What a frozen server may cost one command, in these tests. */
const LIMIT_MS = 150
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const server = await startRedis()
const cluster = await startRedisCluster()
/** What a test took, given back in the end even when it failed half-way: a process that does not end hangs the run. */
const taken: (() => Promise<void>)[] = [() => server.close(), () => cluster.close()]
test.after(async () => {
  for (const giveBack of taken.toReversed()) await giveBack()
})
async function serverOf(starting: Promise<RedisServer>): Promise<RedisServer> {
  const started = await starting
  taken.push(() => started.close())
  return started
}

interface Opened {
  readonly host: TestHost<'store'>
  readonly store: Store
}

async function open(options: object = {}, given: Parameters<typeof testHost>[1] = {}): Promise<Opened> {
  const host = testHost('store', { name: 'answers', clock: new RealTries(), ...given })
  taken.push(() => host.dispose())
  const store = host.apply(redis, {
    url: server.url,
    command_timeout_ms: LIMIT_MS,
    connect_timeout_ms: 500,
    ...options,
  })
  await host.start()
  host.ready()
  return { host, store }
}

/** Runs with a store, and closes it whatever happens. */
const withStore =
  (run: (opened: Opened) => Promise<void>, options: object = {}) =>
  async (): Promise<void> => {
    await server.command('FLUSHALL')
    const opened = await open(options)
    try {
      await run(opened)
    } finally {
      await opened.host.dispose()
    }
  }

/** Both clocks move: ours by hand, and Redis' by taking the time off every key's own. */
const age = async (host: TestHost<'store'>, nodes: readonly RedisServer[], ms: number): Promise<void> => {
  await host.clock.advance(ms)
  for (const node of nodes) {
    const keys = await node.command('KEYS', '*')
    assert.ok(Array.isArray(keys))
    for (const key of keys) {
      const left = Number(await node.command('PTTL', key))
      assert.ok(left > 0, 'no key is without an end')
      await node.command('PEXPIRE', key, left - ms)
    }
  }
}

checkStore('redis', async () => {
  await server.command('FLUSHALL')
  const { host, store } = await open()
  return { store, advance: ms => age(host, [server], ms), close: () => host.dispose() }
})

checkStore('redis cluster', async () => {
  for (const node of cluster.nodes) await node.command('FLUSHALL')
  const { host, store } = await open({ url: cluster.url })
  return { store, advance: ms => age(host, cluster.nodes, ms), close: () => host.dispose() }
})

/** How the promise failed. */
async function failing(run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('it did not fail')
}

const TOO_LATE = /^no answer within/

/** A command of an outage fails before the event loop's next turn. */
async function failsAtOnce(store: Store): Promise<void> {
  for (const run of [() => store.get('a'), () => store.set('a', bytes('lost'), LIFE)]) {
    const first = await Promise.race([failing(run), nextTurn('a turn of the event loop')])
    assert.match(first, /is out of reach$/)
  }
}

/** Goes on until so many new connections have been opened. */
async function duringConnections(count: number, run: () => Promise<void>): Promise<void> {
  let opened = 0
  const seen = (): void => void opened++
  subscribe('net.client.socket', seen)
  try {
    while (opened < count) {
      await run()
      await nextTurn()
    }
  } finally {
    unsubscribe('net.client.socket', seen)
  }
}

const heals = (store: Store): Promise<void> =>
  until('the store answers again', async () => {
    await store.set('healed', bytes('yes'), LIFE)
    return (await store.get('healed')) !== undefined
  })

const warnings = (host: TestHost<'store'>): number => host.logged.filter(({ level }) => level === 'warn').length

test(
  'keeps a key under the instance name, for as long as the entry may serve',
  withStore(async ({ store }) => {
    await store.set('a', bytes('one'), { ttlSecs: 60, staleSecs: 40 })
    assert.equal(await server.command('KEYS', '*'), ['deflector:answers:a'])
    const left = Number(await server.command('PTTL', 'deflector:answers:a'))
    assert.ok(left > 95_000 && left <= 100_000, String(left))
  }),
)

test('shares entries among gateways, but not among instances of another name, prefix or database', async () => {
  await server.command('FLUSHALL')
  const clock = new ManualClock()
  const own = await open({}, { clock })
  const twin = await open({}, { clock })
  const others = await Promise.all([
    open({}, { clock, name: 'others' }),
    open({ key_prefix: 'x:' }, { clock }),
    open({ db: 3 }, { clock }),
    open({ url: `${server.url}/3` }, { clock }),
  ])
  await own.store.set('a', bytes('one'), LIFE)
  assert.ok(await twin.store.get('a'))
  for (const { store } of others) assert.is(await store.get('a'), undefined)
  await others[2]?.store.set('b', bytes('in 3'), LIFE)
  assert.ok(await others[3]?.store.get('b'), 'the URL names the same database')
  for (const { host } of [own, twin, ...others]) await host.dispose()
})

test('keeps one connection over a reload, and gives it back in the end', async () => {
  await server.command('FLUSHALL')
  const connections = async (): Promise<number> =>
    String(await server.command('CLIENT', 'LIST')).match(/name=deflector/g)?.length ?? 0
  await until('those of other tests are closed', async () => (await connections()) === 0)
  const kept = new Keep()
  const clock = new ManualClock()
  const old = await open({}, { kept, clock })
  await old.store.set('a', bytes('one'), LIFE)
  const next = await open({ command_timeout_ms: 99, key_prefix: 'deflector:answers:' }, { kept, clock })
  await old.host.dispose()
  assert.is(await connections(), 1)
  assert.ok(await next.store.get('a'))
  await next.host.dispose()
  await until('the connection is closed', async () => (await connections()) === 0)
})

test('an id of what is kept holds no password', async () => {
  const kept = new Keep()
  const host = testHost('store', { kept })
  host.apply(redis, { url: 'redis://user:hunter2@127.0.0.1:1' })
  assert.not.match(kept.ids.join(), /hunter2/)
  await host.dispose()
})

test(
  'without a prefix, what it did not write is read as stale',
  withStore(
    async ({ store }) => {
      for (const value of ['{"message":"From long ago"}', 'DFL1', 'DFL2', '\u0000']) {
        await server.command('SET', 'hash', value)
        const entry = await store.get('hash')
        assert.is(entry?.fresh, false)
        assert.is(Buffer.from(entry?.value ?? []).toString(), value)
      }
    },
    { key_prefix: '' },
  ),
)

/** What somebody may have put where an entry is looked for. */
async function litter(key: string): Promise<void> {
  const commands: readonly (readonly [string, ...(string | number)[]])[] = [
    ['SET', 'text', 'a secret'],
    ['RPUSH', 'list', 'a secret'],
    ['HSET', 'hash', 'a', 'a secret'],
    ['XADD', 'stream', '*', 'key', 'a secret'],
    ['SETRANGE', 'huge', 80 << 20, 'a secret'],
  ]
  for (const [command, name, ...rest] of commands) await server.command(command, `${key}${name}`, ...rest)
}

test(
  'what others put among its entries is passed over, overwritten, and told once without a word of it',
  withStore(async ({ host, store }) => {
    const kinds = ['text', 'list', 'hash', 'stream', 'huge']
    await litter('deflector:answers:')
    await store.set('mine', bytes('mine'), LIFE)
    await server.command('COPY', 'deflector:answers:mine', 'deflector:answers:theirs')
    await server.command('COPY', 'deflector:answers:mine', 'deflector:answers:cut')
    await server.command('SETRANGE', 'deflector:answers:cut', 17, 'X')
    for (const key of [...kinds, 'theirs', 'cut']) assert.is(await store.get(key), undefined, key)
    assert.is(Buffer.from((await store.get('mine'))?.value ?? []).toString(), 'mine')
    assert.is(warnings(host), 1)
    assert.not.match(JSON.stringify(host.logged), /secret|theirs|text/)
    for (const key of kinds) {
      await store.set(key, bytes(key), LIFE)
      assert.is(Buffer.from((await store.get(key))?.value ?? []).toString(), key)
    }
  }),
)

test(
  'a value too large for an entry is not written, and takes nothing with it',
  withStore(async ({ store }) => {
    await store.set('a', new Uint8Array(16 << 20), LIFE)
    assert.is(await store.get('a'), undefined)
    await store.set('a', bytes('one'), LIFE)
    assert.ok(await store.get('a'))
  }),
)

test('killed in the middle of a command: it fails, the next ones at once, and it heals after a restart', async () => {
  const mine = await serverOf(startRedis())
  const { host, store } = await open({ url: mine.url, command_timeout_ms: 5000 })
  await store.set('a', bytes('one'), LIFE)
  mine.freeze() // so that the command is surely under way
  const hanging = failing(() => store.get('a'))
  await mine.kill()
  assert.not.match(await hanging, TOO_LATE, 'a closed connection is noticed before the limit')
  await failsAtOnce(store)
  assert.is(warnings(host), 1)
  await mine.restart()
  await heals(store)
  assert.is(host.logged.filter(({ level }) => level === 'info').length, 1, 'it says that it is back')
  assert.is(await store.get('a'), undefined)
  await host.dispose()
})

test('frozen: one command pays its limit, the next ones fail at once, and it heals when it goes on', async () => {
  const mine = await serverOf(startRedis())
  const { host, store } = await open({ url: mine.url })
  await store.set('a', bytes('one'), LIFE)
  mine.freeze()
  const all = await Promise.all([1, 2, 3].map(() => failing(() => store.get('a'))))
  for (const message of all) assert.match(message, TOO_LATE)
  await failsAtOnce(store)
  // New connections are taken by the kernel and never greeted.
  await duringConnections(3, () => failsAtOnce(store))
  assert.is(warnings(host), 1)
  mine.thaw()
  await heals(store)
  assert.ok(await store.get('a'))
  await host.dispose()
})

test('full: what does not fit is refused, what is there is read, and it is taken for no outage', async () => {
  const mine = await serverOf(startRedis(['--maxmemory-policy', 'noeviction']))
  const { host, store } = await open({ url: mine.url })
  await store.set('a', bytes('one'), LIFE)
  await mine.command('CONFIG', 'SET', 'maxmemory', '1')
  for (let i = 0; i < 3; i++) {
    assert.match(await failing(() => store.set('b', bytes('two'), LIFE)), /^OOM/)
    assert.ok(await store.get('a'))
  }
  assert.is(warnings(host), 0)
  await mine.command('CONFIG', 'SET', 'maxmemory', '0')
  await store.set('b', bytes('two'), LIFE)
  assert.ok(await store.get('b'))
  await host.dispose()
})

test(
  'flushed: it knows nothing, and learns anew',
  withStore(async ({ store }) => {
    await store.set('a', bytes('one'), LIFE)
    await server.command('FLUSHALL')
    assert.is(await store.get('a'), undefined)
    await store.set('a', bytes('two'), LIFE)
    assert.ok(await store.get('a'))
  }),
)

test('away at the start: a warning, no failure, and it is found once it is there', async () => {
  const mine = await serverOf(startRedis())
  await mine.kill()
  const { host, store } = await open({ url: mine.url })
  assert.is(warnings(host), 1)
  await failsAtOnce(store)
  await mine.restart()
  await heals(store)
  assert.is(warnings(host), 1)
  await host.dispose()
})

test('not a Redis at all: the start does not wait for it', async () => {
  const mine = await serverOf(startRedis())
  mine.freeze()
  const { host, store } = await open({ url: mine.url, connect_timeout_ms: 200 })
  assert.is(warnings(host), 1)
  await failsAtOnce(store)
  await host.dispose()
})

test('warns once a minute, and closes while it is down', async () => {
  const port = await freePort()
  const { host, store } = await open({ url: `redis://127.0.0.1:${port}` })
  await failsAtOnce(store)
  assert.is(warnings(host), 1)
  await host.clock.advance(60_000)
  await until('it warned again', () => warnings(host) === 2)
  await host.dispose()
})

test('logs in with a password, and tells nobody which', async () => {
  const mine = await serverOf(startRedis(['--requirepass', 'hunter2'], { password: 'hunter2' }))
  const right = await open({ url: `redis://:hunter2@127.0.0.1:${mine.port}` })
  await right.store.set('a', bytes('one'), LIFE)
  assert.ok(await right.store.get('a'))
  const wrong = await open({ url: `redis://:hunter3@127.0.0.1:${mine.port}` })
  const none = await open({ url: mine.url })
  for (const { host, store } of [wrong, none]) {
    assert.is(warnings(host), 1)
    const message = await failing(() => store.get('a'))
    assert.not.match(message + JSON.stringify(host.logged), /hunter/)
  }
  for (const { host } of [right, wrong, none]) await host.dispose()
})

test('an error says nothing of keys and values', async () => {
  const mine = await serverOf(startRedis())
  const { host, store } = await open({ url: mine.url })
  await mine.command('CONFIG', 'SET', 'maxmemory', '1')
  try {
    await store.set('my key', bytes('my value'), LIFE)
    assert.unreachable()
  } catch (error) {
    assert.ok(error instanceof Error)
    assert.equal(Object.keys(error), [])
    assert.not.match(`${error.message} ${error.cause}`, /my key|my value/)
  }
  await host.dispose()
})

test('one frozen master closes the cluster for all keys, until it goes on', async () => {
  const { host, store } = await open({ url: cluster.url })
  const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`)
  for (const key of keys) await store.set(key, bytes(key), LIFE)
  cluster.nodes[1]?.freeze()
  let slow = 0
  // Several new connections to each node, each of which looks well until its masters are asked.
  await duringConnections(15, async () => {
    for (const key of keys) {
      const message = await store.get(key).then(() => '', String)
      if (/no answer within/.test(message)) slow++
    }
  })
  assert.is(slow, 1, 'one command waited')
  cluster.nodes[1]?.thaw()
  await heals(store)
  await host.dispose()
})

test('one killed master of a cluster is an outage that heals', async () => {
  const { host, store } = await open({ url: cluster.url })
  await store.set('a', bytes('one'), LIFE)
  const [, , third] = cluster.nodes
  await third?.kill()
  await failing(async () => {
    for (let i = 0; i < 200; i++) await store.get(`key ${i}`)
  })
  await failsAtOnce(store)
  await third?.restart()
  await cluster.complete()
  await heals(store)
  await host.dispose()
})

test('asks the sentinels for the master, and for the new one after a failover', async () => {
  const group = await startSentinelGroup()
  taken.push(() => group.close())
  const { host, store } = await open({ url: group.url })
  await store.set('a', bytes('one'), LIFE)
  assert.ok(await group.master.command('EXISTS', 'deflector:answers:a'))
  await until('the replica has it', async () => Number(await group.replica.command('DBSIZE')) === 1)
  await group.failOver()
  await group.master.kill()
  await heals(store)
  assert.ok(await store.get('a'), 'from the one that was the replica')
  await host.dispose()
})

test.run()
