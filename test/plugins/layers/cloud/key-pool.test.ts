import { ManualClock } from 'deflector/contracts/host'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Cooldowns,
  type KeyOwner,
  KeyPool,
  type KeyPoolOptions,
} from '../../../../plugins/layers/cloud/key-pool.ts'
import { provider, quiet } from './double.ts'

const options: KeyPoolOptions = { strategyOf: () => 'round_robin', cooldownMs: 60_000, cooldownMaxMs: 300_000 }
const link = (keys?: readonly string[], name = 'acme'): KeyOwner => ({
  name,
  provider: provider([], { ...(keys && { keys }) }),
})

function poolWith(given: Partial<KeyPoolOptions> = {}, cooldowns: Cooldowns = new Map()) {
  const clock = new ManualClock()
  return { clock, cooldowns, pool: new KeyPool(clock, quiet, { ...options, ...given }, cooldowns) }
}

function picked(pool: KeyPool, from: KeyOwner): string | undefined {
  const choice = pool.choose(from)
  return choice.state === 'ready' ? choice.key?.key : choice.state
}

test('takes the keys in turn', () => {
  const { pool } = poolWith()
  const acme = link(['a', 'b', 'c'])
  assert.equal(
    [1, 2, 3, 4].map(() => picked(pool, acme)),
    ['a', 'b', 'c', 'a'],
  )
})

test('looking takes no turn', () => {
  const { pool } = poolWith()
  const acme = link(['a', 'b'])
  pool.peek(acme)
  pool.peek(acme)
  assert.is(picked(pool, acme), 'a')
})

test('by priority the best key serves until it rests', async () => {
  const { clock, pool } = poolWith({ strategyOf: () => 'priority' })
  const keys = [{ key: 'plain' }, { key: 'second', priority: 2 }, { key: 'first', priority: 1 }]
  const acme = { name: 'acme', provider: { ...provider([]), keys: () => keys } }
  assert.equal([picked(pool, acme), picked(pool, acme)], ['first', 'first'])
  pool.cool('acme', 'first')
  assert.is(picked(pool, acme), 'second')
  pool.cool('acme', 'second')
  assert.is(picked(pool, acme), 'plain')
  await clock.advance(60_000)
  assert.is(picked(pool, acme), 'first')
})

test('each provider has a strategy of its own', () => {
  const { pool } = poolWith({ strategyOf: name => (name === 'other' ? 'priority' : 'round_robin') })
  const [acme, other] = [link(['a', 'b']), link(['a', 'b'], 'other')]
  assert.equal([1, 2, 3].map(() => picked(pool, acme)).join(''), 'aba')
  assert.equal([1, 2, 3].map(() => picked(pool, other)).join(''), 'aaa')
})

test('a key rests as long as was said, whatever somebody does to the time of day', async () => {
  const { clock, pool } = poolWith()
  const acme = link(['a'])
  pool.cool('acme', 'a', 5_000)
  for (const day of [-86_400_000, 2 * 86_400_000]) {
    clock.set(day)
    assert.equal(pool.peek(acme), { state: 'cooling', recoveryMs: 5_000 })
  }
  await clock.advance(5_000)
  assert.is(picked(pool, acme), 'a')
})

test('rests one key alone, and only at its own provider', () => {
  const { pool } = poolWith()
  pool.cool('acme', 'a')
  assert.equal([picked(pool, link(['a', 'b'])), picked(pool, link(['a', 'b']))], ['b', 'b'])
  assert.is(picked(pool, link(['a'], 'other')), 'a')
})

test('a key rests as long as the vendor says, else the default, never beyond the cap', async () => {
  const { clock, pool } = poolWith()
  const rests = async (retryAfterMs: number | undefined) => {
    pool.cool('acme', 'a', retryAfterMs)
    const choice = pool.peek(link(['a']))
    await clock.advance(1_000_000)
    assert.is(pool.peek(link(['a'])).state, 'ready')
    return choice.state === 'cooling' ? choice.recoveryMs : choice.state
  }
  assert.is(await rests(undefined), 60_000)
  assert.is(await rests(1500), 1500)
  assert.is(await rests(86_400_000), 300_000)
  assert.is(await rests(0), 'ready')
})

test('of two rests the longer one counts', () => {
  const { pool } = poolWith()
  pool.cool('acme', 'a', 90_000)
  pool.cool('acme', 'a', 1000)
  assert.equal(pool.choose(link(['a'])), { state: 'cooling', recoveryMs: 90_000 })
})

test('no key member means that none is needed, an empty list that one is missing', () => {
  const { pool } = poolWith()
  assert.is(picked(pool, link()), undefined)
  assert.is(pool.choose(link()).state, 'ready')
  assert.is(pool.choose(link([])).state, 'missing')
})

test('keys that cannot be read are missing', () => {
  const { pool } = poolWith()
  const keys = (): never => {
    throw new Error('the store is locked')
  }
  const acme = { name: 'acme', provider: { ...provider([]), keys } }
  assert.is(pool.choose(acme).state, 'missing')
})

test('asks for the keys anew every time', () => {
  const { pool } = poolWith()
  let keys: string[] = []
  const acme = {
    name: 'acme',
    provider: { ...provider([]), keys: () => keys.map(key => ({ key })) },
  }
  assert.is(pool.choose(acme).state, 'missing')
  keys = ['a']
  assert.is(picked(pool, acme), 'a')
})

test('what is kept over a reload holds no key', () => {
  const { pool, cooldowns } = poolWith()
  pool.cool('acme', 'sk-secret')
  assert.not.match(JSON.stringify([...cooldowns]), 'sk-secret')
  const reloaded = poolWith({}, cooldowns)
  assert.is(reloaded.pool.choose(link(['sk-secret'])).state, 'cooling')
})

test('what has cooled down is forgotten', async () => {
  const { clock, pool, cooldowns } = poolWith()
  for (let key = 0; key < 100; key++) pool.cool('acme', `k${key}`)
  await clock.advance(60_000 + 300_000)
  pool.cool('acme', 'last')
  assert.is(cooldowns.size, 1)
})

test('after its cooldown a key is tried by one request while the others take free keys', async () => {
  const { clock, pool } = poolWith({ strategyOf: () => 'priority' })
  const acme = link(['a', 'b'])
  pool.cool('acme', 'a', 5_000)
  await clock.advance(5_000)
  assert.equal([picked(pool, acme), picked(pool, acme)], ['a', 'b'])
  pool.ended(acme, { key: 'a' }, true)
  assert.equal([picked(pool, acme), picked(pool, acme)], ['a', 'a'])
})

test('a try that says nothing of the key leaves it half open, and a limit cools it again', async () => {
  const { clock, pool } = poolWith({ strategyOf: () => 'priority' })
  const acme = link(['a', 'b'])
  pool.cool('acme', 'a', 5_000)
  await clock.advance(5_000)
  assert.is(picked(pool, acme), 'a')
  pool.ended(acme, { key: 'a' }, false)
  assert.equal([picked(pool, acme), picked(pool, acme)], ['a', 'b'])
  pool.ended(acme, { key: 'a' }, false)
  pool.cool('acme', 'a', 5_000)
  assert.is(picked(pool, acme), 'b')
})

test('where no key is free, a half-open one serves all', async () => {
  const { clock, pool } = poolWith()
  const acme = link(['a'])
  pool.cool('acme', 'a', 5_000)
  await clock.advance(5_000)
  assert.equal([picked(pool, acme), picked(pool, acme)], ['a', 'a'])
})

/** A step of the property: a key is picked, a key gets a 429, or time goes by. */
const steps = fc.array(
  fc.oneof(
    fc.constant({ type: 'choice' as const }),
    fc.record({
      type: fc.constant('limit' as const),
      key: fc.nat(4),
      retryAfterMs: fc.option(fc.nat(400_000), { nil: undefined }),
    }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.nat(100_000) }),
  ),
  { maxLength: 60 },
)

test('no request ever starts on a cooling key, and none is refused while a key is free', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('round_robin' as const, 'priority' as const),
      fc.integer({ min: 1, max: 5 }),
      steps,
      async (strategy, count, taken) => {
        const { clock, pool } = poolWith({ strategyOf: () => strategy })
        const keys = Array.from({ length: count }, (_, index) => `k${index}`)
        const acme = link(keys)
        const restsUntil = new Map<string, number>()
        const free = () => keys.filter(key => (restsUntil.get(key) ?? 0) <= clock.now())
        for (const step of taken) {
          if (step.type === 'wait') await clock.advance(step.ms)
          else if (step.type === 'limit') {
            const key = `k${step.key % count}`
            const until = clock.now() + Math.min(step.retryAfterMs ?? 60_000, 300_000)
            restsUntil.set(key, Math.max(until, restsUntil.get(key) ?? 0))
            pool.cool('acme', key, step.retryAfterMs)
          } else {
            const choice = pool.choose(acme)
            if (choice.state === 'ready') assert.ok(free().includes(choice.key?.key ?? ''))
            else {
              assert.is(choice.state, 'cooling')
              assert.equal(free(), [])
              const soonest = Math.min(...restsUntil.values()) - clock.now()
              assert.is(choice.state === 'cooling' && choice.recoveryMs, soonest)
            }
          }
        }
      },
    ),
  )
})

test.run()
