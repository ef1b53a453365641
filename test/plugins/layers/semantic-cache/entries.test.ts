import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Entries, type Entry } from '../../../../plugins/layers/semantic-cache/entries.ts'
import { decodeRecord, encodeRecord } from '../../../../plugins/layers/semantic-cache/record.ts'

const vector = (at: number): Float32Array => Float32Array.from({ length: 384 }, (_, i) => (i === at ? 1 : 0))
const entry = (canonical: string, more: Partial<Entry> = {}): Entry => ({
  id: `request-${canonical}`,
  partition: 'p',
  canonical,
  text: `text of ${canonical}`,
  freshUntil: 1000,
  vector: vector(1),
  value: new Uint8Array(10),
  ...more,
})
const roomy = { max_entries: 100, max_bytes: 1 << 20 }

test('finds an entry by its key and by its vector, in its own partition only', () => {
  const entries = new Entries(roomy)
  entries.set(entry('a'))
  assert.is(entries.canonical('p', 'a', 0)?.id, 'request-a')
  assert.is(entries.canonical('q', 'a', 0), undefined)
  assert.equal(
    entries.near('p', vector(1), 0.9, 8, 0).map(({ id, similarity }) => [id, similarity]),
    [['request-a', 1]],
  )
  assert.equal(entries.near('q', vector(1), 0.9, 8, 0), [])
})

test('an entry past its time is gone, and its bytes with it', () => {
  const entries = new Entries(roomy)
  entries.set(entry('a'))
  entries.set(entry('b', { freshUntil: 500 }))
  assert.equal(
    entries.near('p', vector(1), 0.9, 8, 600).map(({ canonical }) => canonical),
    ['a'],
  )
  assert.is(entries.size, 1)
  assert.is(entries.canonical('p', 'a', 1000), undefined)
  assert.is(entries.size, 0)
  assert.is(entries.bytes, 0)
})

test('what has expired does not stand in the way of what has not', () => {
  const entries = new Entries(roomy)
  for (let i = 0; i < 20; i++) entries.set(entry(`old-${i}`, { freshUntil: 500 }))
  entries.set(entry('fresh', { vector: vector(1).map((x, i) => x * 0.95 + (i === 2 ? 0.3122 : 0)) }))
  assert.equal(
    entries.near('p', vector(1), 0.9, 8, 600).map(({ canonical }) => canonical),
    ['fresh'],
  )
  assert.is(entries.size, 1)
})

test('the least recently used go when there are too many', () => {
  const entries = new Entries({ ...roomy, max_entries: 2 })
  entries.set(entry('a'))
  entries.set(entry('b'))
  entries.use(entry('a'))
  entries.set(entry('c'))
  assert.is(entries.canonical('p', 'b', 0), undefined)
  assert.equal(
    entries
      .near('p', vector(1), 0.9, 8, 0)
      .map(({ canonical }) => canonical)
      .sort(),
    ['a', 'c'],
  )
})

test('the order of use holds whatever comes, goes, is used again or cleared', () => {
  const most = 7
  const entries = new Entries({ ...roomy, max_entries: most })
  let order: string[] = []
  let state = 1
  const chance = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
  for (let step = 0; step < 3000; step++) {
    const key = `k${chance(12)}`
    const rest = order.filter(one => one !== key)
    switch (chance(60) === 0 ? 'clear' : ['set', 'set', 'use', 'delete'][chance(4)]) {
      case 'set':
        entries.set(entry(key, { freshUntil: 1e9 }))
        order = [...rest, key].slice(-most)
        break
      case 'use':
        if (entries.canonical('p', key, 0)) order = [...rest, key]
        break
      case 'delete':
        entries.delete('p', key)
        order = rest
        break
      case 'clear':
        entries.clear()
        order = []
    }
    assert.is(entries.size, order.length)
  }
  const kept = Array.from({ length: 12 }, (_, i) => `k${i}`).filter(key =>
    entries.holds(entry(key, { freshUntil: 1e9 })),
  )
  assert.equal(kept.sort(), order.sort())
})

test('bytes are bounded too, and one that is larger than all is not kept', () => {
  const entries = new Entries({ ...roomy, max_bytes: 10_000 })
  for (let i = 0; i < 20; i++) entries.set(entry(String(i)))
  assert.ok(entries.size > 0 && entries.size < 10)
  assert.ok(entries.bytes <= 10_000)
  entries.set(entry('large', { value: new Uint8Array(20_000) }))
  assert.is(entries.canonical('p', 'large', 0), undefined)
})

test('knows what a request stored, and keeps a pair apart that was found wrong', () => {
  const entries = new Entries(roomy)
  entries.set(entry('a'))
  assert.is(entries.storedBy('request-a')?.canonical, 'a')
  entries.delete('p', 'a')
  assert.is(entries.storedBy('request-a'), undefined)
  entries.separate('x', 'y')
  assert.equal([...entries.separatedPairs()], [['x', 'y']])
  assert.ok(entries.areSeparated('y', 'x'))
  assert.not.ok(entries.areSeparated('x', 'z'))
})

test('an entry goes through a store as it was', () => {
  const { value, ...bare } = entry('ä', { text: 'schön\n"so"' })
  const found = decodeRecord(encodeRecord(bare, value ?? new Uint8Array()))
  assert.equal(found.entry, bare)
  assert.equal(Buffer.from(found.value), Buffer.from(value ?? []))
  assert.throws(() => decodeRecord(Buffer.from('no record')))
  assert.throws(() => decodeRecord(encodeRecord(bare, new Uint8Array(9)).subarray(0, -1)))
})

test.run()
