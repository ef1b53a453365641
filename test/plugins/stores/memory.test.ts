import { test } from 'uvu'
import * as assert from 'uvu/assert'
import memory from '../../../plugins/stores/memory.ts'
import { Keep, ManualClock, type TestHost, testHost } from '../../contracts/host.ts'
import { checkStore } from '../../contracts/store.ts'

checkStore('memory', async () => {
  const host = testHost('store')
  const store = host.apply(memory)
  return { store, advance: ms => host.clock.advance(ms), close: () => host.dispose() }
})

const LIFE = { ttlSecs: 60, staleSecs: 0 }
const value = (length: number): Uint8Array => new Uint8Array(length)

test('never holds more entries than it may', async () => {
  const store = testHost('store').apply(memory, { max_entries: 10 })
  const keys = Array.from({ length: 57 }, (_, i) => `k${i}`)
  for (const key of keys) {
    await store.set(key, value(1), LIFE)
    const held = (await Promise.all(keys.map(k => store.get(k)))).filter(Boolean).length
    assert.ok(held <= 10, `${held} entries after ${key}`)
  }
})

test('lets the oldest go first, and keeps what is still read', async () => {
  const store = testHost('store').apply(memory, { max_entries: 4 })
  for (const key of ['a', 'b', 'c', 'd', 'e']) await store.set(key, value(1), LIFE)
  assert.is(await store.get('a'), undefined)
  for (const key of ['f', 'g', 'h', 'i', 'j', 'k', 'l']) {
    await store.get('e')
    await store.set(key, value(1), LIFE)
  }
  assert.ok(await store.get('e'))
})

test('tells the bytes that it holds', async () => {
  const store = testHost('store').apply(memory)
  assert.is(await store.bytes?.(), 0)
  await store.set('a', value(1000), LIFE)
  const one = (await store.bytes?.()) ?? 0
  assert.ok(one > 1000 && one < 2000, `${one} bytes`)
  await store.set('b', value(1000), LIFE)
  await store.delete('a')
  assert.is(await store.bytes?.(), one)
  await store.clear?.()
  assert.is(await store.bytes?.(), 0)
})

test('never holds more bytes than it may, keys and overhead counted', async () => {
  const store = testHost('store').apply(memory, { max_bytes: 10_000 })
  for (let i = 0; i < 50; i++) await store.set(`k${i}`, value(1000), LIFE)
  const held: string[] = []
  for (let i = 0; i < 50; i++) if (await store.get(`k${i}`)) held.push(`k${i}`)
  assert.ok(held.length >= 6 && held.length <= 9, `${held.length} held`)
  assert.ok(held.includes('k49'))
})

test('does not count an entry twice that is set again or deleted', async () => {
  const store = testHost('store').apply(memory, { max_bytes: 5000, max_entries: 3 })
  await store.set('other', value(1000), LIFE)
  for (let i = 0; i < 100; i++) await store.set('same', value(1000), LIFE)
  for (let i = 0; i < 100; i++) {
    await store.set('gone', value(1000), LIFE)
    await store.delete('gone')
  }
  assert.ok(await store.get('other'))
  assert.ok(await store.get('same'))
})

test('does not keep an entry larger than all it may hold, and forgets what it replaces', async () => {
  const store = testHost('store').apply(memory, { max_bytes: 5000 })
  await store.set('small', value(100), LIFE)
  await store.set('large', value(500), LIFE)
  await store.set('large', value(5000), LIFE)
  assert.is(await store.get('large'), undefined)
  assert.ok(await store.get('small'))
})

test('keeps its entries over a reload', async () => {
  const old = testHost('store', { name: 'answers' })
  await old.apply(memory).set('a', value(1), LIFE)
  const next = testHost('store', { name: 'answers', kept: old.kept, clock: old.clock })
  const store = next.apply(memory)
  next.ready()
  await old.dispose()
  assert.ok(await store.get('a'))
})

test('shares nothing with an instance of another name', async () => {
  const kept = new Keep()
  const clock = new ManualClock()
  const [a, b] = ['a', 'b'].map(name => testHost('store', { name, kept, clock }).apply(memory))
  await a?.set('key', value(1), LIFE)
  assert.is(await b?.get('key'), undefined)
})

test('holds the entries it kept to its new bounds, once it serves', async () => {
  const reload = async (
    before: object,
    after: object,
  ): Promise<{ held: () => Promise<number>; next: TestHost<'store'> }> => {
    const old = testHost('store')
    const first = old.apply(memory, before)
    for (let i = 0; i < 20; i++) await first.set(`k${i}`, value(100), LIFE)
    const next = testHost('store', { kept: old.kept, clock: old.clock })
    const store = next.apply(memory, after)
    const all = Array.from({ length: 40 }, (_, i) => `k${i}`)
    return { next, held: async () => (await Promise.all(all.map(key => store.get(key)))).filter(Boolean).length }
  }
  const fewer = await reload({ max_entries: 20 }, { max_entries: 5 })
  assert.is(await fewer.held(), 20, 'as it was, until the new generation serves')
  fewer.next.ready()
  assert.is(await fewer.held(), 5)

  const smaller = await reload({}, { max_bytes: 1000 })
  smaller.next.ready()
  assert.is(await smaller.held(), 2)

  const more = await reload({ max_entries: 20 }, { max_entries: 40 })
  more.next.ready()
  const store = more.next.apply(memory, { max_entries: 40 })
  for (let i = 20; i < 40; i++) await store.set(`k${i}`, value(100), LIFE)
  assert.is(await more.held(), 40)
})

test.run()
