import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { EntrySource } from '../../../../plugins/layers/semantic-cache/engine/write-back.ts'
import { Entries, type Entry, type EntryIndex } from '../../../../plugins/layers/semantic-cache/entries.ts'

const entry = (canonical: string, more: Partial<Entry> = {}): Entry => ({
  id: `request-${canonical}`,
  partition: 'p',
  canonical,
  text: `text of ${canonical}`,
  comparable: true,
  freshUntil: 1000,
  value: new Uint8Array(10),
  ...more,
})
const roomy = { max_entries: 100, max_bytes: 1 << 20 }

/** What an index elsewhere has heard of. */
class Heard implements EntryIndex {
  readonly handles = new Set<number>()
  add = (handle: number): void => void this.handles.add(handle)
  remove = (handle: number): void => void this.handles.delete(handle)
  clear = (): void => this.handles.clear()
  follow(source: EntrySource | undefined): void {
    this.clear()
    for (const handle of source?.handles() ?? []) this.add(handle)
  }
}

function opened(bounds = roomy): { entries: Entries; index: Heard; at: (now: number) => void } {
  let time = 0
  const [entries, index] = [new Entries(bounds, () => time), new Heard()]
  entries.setIndex(index)
  return {
    entries,
    index,
    at: now => {
      time = now
    },
  }
}

test('finds an entry by its key and by its handle, in its own partition only', () => {
  const { entries, index } = opened()
  entries.set(entry('a'))
  entries.set(entry('b', { comparable: false }))
  assert.is(entries.canonical('p', 'a')?.id, 'request-a')
  assert.is(entries.canonical('q', 'a'), undefined)
  assert.is(entries.canonical('p', 'b')?.id, 'request-b')
  const [handle = 0, ...more] = index.handles
  assert.equal(more, [], 'what cannot be compared has none')
  assert.is(entries.at(handle, 'p')?.id, 'request-a')
  assert.is(entries.at(handle, 'q'), undefined)
  assert.equal(entries.indexed(handle), {
    handle,
    partition: entries.partition('p')?.number,
    freshUntil: 1000,
    text: 'text of a',
    vector: undefined,
  })
})

test('an entry past its time is gone, and its bytes with it, however it is asked for', () => {
  const { entries, index, at } = opened()
  for (const key of ['a', 'b', 'c']) entries.set(entry(key))
  const [, second = 0, third = 0] = index.handles
  at(1000)
  assert.is(entries.canonical('p', 'a'), undefined)
  assert.is(entries.at(second, 'p'), undefined)
  entries.expire(third)
  assert.equal([entries.size, entries.bytes, index.handles.size], [0, 0, 0])
  assert.is(entries.partition('p'), undefined)
})

test('the index hears of all that comes and goes', () => {
  const { entries, index } = opened({ ...roomy, max_entries: 3 })
  for (const key of ['a', 'b', 'c', 'd', 'd']) entries.set(entry(key))
  assert.equal([...entries.handles()], [...index.handles])
  assert.is(index.handles.size, 3)
  entries.delete('p', 'b')
  assert.equal([...entries.handles()], [...index.handles])
  entries.clear()
  assert.equal([...index.handles], [])
  entries.set(entry('e'))
  const next = new Heard()
  entries.setIndex(next)
  assert.equal([...index.handles], [], 'the old one holds nothing any more')
  assert.equal([...next.handles], [...entries.handles()])
})

test('the least recently used go when there are too many', () => {
  const { entries } = opened({ ...roomy, max_entries: 2 })
  entries.set(entry('a'))
  entries.set(entry('b'))
  entries.use(entry('a'))
  entries.set(entry('c'))
  assert.is(entries.canonical('p', 'b'), undefined)
  assert.ok(entries.canonical('p', 'a') && entries.canonical('p', 'c'))
})

test('the order of use holds whatever comes, goes, is used again or cleared', () => {
  const most = 7
  const { entries } = opened({ ...roomy, max_entries: most })
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
        if (entries.canonical('p', key)) order = [...rest, key]
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
  const { entries } = opened({ ...roomy, max_bytes: 10_000 })
  for (let i = 0; i < 20; i++) entries.set(entry(String(i)))
  assert.ok(entries.size > 0 && entries.size < 10)
  assert.ok(entries.bytes <= 10_000)
  entries.set(entry('large', { value: new Uint8Array(20_000) }))
  assert.is(entries.canonical('p', 'large'), undefined)
})

test('knows what a request stored, and keeps a pair apart that was found wrong', () => {
  const { entries } = opened()
  entries.set(entry('a'))
  assert.is(entries.storedBy('request-a')?.canonical, 'a')
  entries.delete('p', 'a')
  assert.is(entries.storedBy('request-a'), undefined)
  entries.apart.add('x', 'y')
  assert.equal(entries.apart.all(), [['x', 'y']])
  assert.ok(entries.apart.has('y', 'x'))
  assert.not.ok(entries.apart.has('x', 'z'))
  entries.set(entry('x'))
  assert.equal(entries.separated('p', 'y'), [...entries.handles()])
  assert.equal(entries.separated('p', 'x'), [])
  assert.equal(entries.separated('q', 'y'), [])
})

test('a pair that is told apart once more takes no place of another', () => {
  const { entries } = opened()
  for (let i = 0; i < 10_000; i++) entries.apart.add('x', `y${i}`)
  entries.apart.add('y9999', 'x')
  assert.ok(entries.apart.has('x', 'y0'))
  entries.apart.add('x', 'z')
  assert.not.ok(entries.apart.has('x', 'y0'), 'the oldest goes for a new one')
})

test('other models find no entries, and every pair that was told apart', () => {
  const { entries } = opened()
  entries.adopt('one')
  entries.set(entry('a'), 'one')
  entries.apart.add('x', 'y')
  entries.adopt('two')
  entries.set(entry('b'), 'one')
  assert.is(entries.size, 0)
  entries.set(entry('b'), 'two')
  assert.is(entries.size, 1)
  assert.ok(entries.apart.has('x', 'y'))
})

test.run()
