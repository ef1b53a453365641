import type { Store } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import redis from '../../../../plugins/stores/redis.ts'
import { testHost } from '../../../contracts/host.ts'
import { startRedis } from '../../../support/redis.ts'

const LIFE = { ttlSecs: 60, staleSecs: 0 }
const one = new TextEncoder().encode('one')

const server = await startRedis()
const taken: (() => Promise<void>)[] = [() => server.close()]
test.after(async () => {
  for (const giveBack of taken.toReversed()) await giveBack()
})

async function open(key_prefix: string): Promise<Store> {
  const host = testHost('store', { name: key_prefix })
  taken.push(() => host.dispose())
  const store = host.apply(redis, { url: server.url, key_prefix })
  await host.start()
  host.ready()
  return store
}

test('clears and counts more keys than one step of a scan sees, and none that belong to others', async () => {
  const [own, other] = [await open('own:'), await open('other:')]
  await Promise.all(Array.from({ length: 1200 }, (_, i) => own.set(`key-${i}`, one, LIFE)))
  await other.set('a', one, LIFE)
  assert.is(await own.size?.(), 1200)
  await own.clear?.()
  assert.is(await own.size?.(), 0)
  assert.is(await other.size?.(), 1)
})

test('a prefix means itself, whatever it means in a pattern', async () => {
  const [wild, other] = [await open('[o]*?\\:'), await open('o\\:')]
  await wild.set('a', one, LIFE)
  await other.set('a', one, LIFE)
  assert.is(await wild.size?.(), 1)
  await wild.clear?.()
  assert.is(await wild.get('a'), undefined)
  assert.ok(await other.get('a'))
})

test('a store without a prefix cannot be cleared: nobody knows which keys are its own', async () => {
  const { clear, size } = await open('')
  assert.is(clear, undefined)
  assert.is(size, undefined)
})

test.run()
