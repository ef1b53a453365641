import type { Store, StoreLife } from 'deflector'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** A store under test, empty. */
export interface StoreUnderTest {
  readonly store: Store
  /** Moves the store's time on by milliseconds (a manual clock; or a real wait, where the store keeps its own time). */
  advance(ms: number): void | Promise<void>
  close(): void | Promise<void>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value)

/** An hour, and nothing after it. */
const LIFE: StoreLife = { ttlSecs: 3600, staleSecs: 0 }

/** What every store promises, as a suite of tests that runs with the file. `make` is called anew for each test. */
export function checkStore(name: string, make: () => Promise<StoreUnderTest>): void {
  const store = suite(`${name} as a store`)
  const check = (title: string, run: (under: StoreUnderTest) => Promise<void>): void =>
    store(title, async () => {
      const under = await make()
      try {
        await run(under)
      } finally {
        await under.close()
      }
    })

  check('knows nothing at first', async ({ store }) => {
    assert.is(await store.get('nobody'), undefined)
    assert.is(await store.delete('nobody'), false)
  })

  check('counts and empties, where it can', async ({ store }) => {
    for (const key of ['a', 'b*', 'c[d]']) await store.set(key, bytes(key), LIFE)
    if (store.size) assert.is(await store.size(), 3)
    if (!store.clear) return
    await store.clear()
    for (const key of ['a', 'b*', 'c[d]']) assert.is(await store.get(key), undefined)
    if (store.size) assert.is(await store.size(), 0)
    await store.set('a', bytes('again'), LIFE)
    assert.is(text((await store.get('a'))?.value), 'again')
  })

  check('gives back what was set, fresh', async ({ store }) => {
    await store.set('a', bytes('one'), LIFE)
    const entry = await store.get('a')
    assert.is(text(entry?.value), 'one')
    assert.is(entry?.fresh, true)
  })

  check('keeps every byte as it is', async ({ store }) => {
    const all = Uint8Array.from({ length: 1024 }, (_, i) => i % 256)
    await store.set('binary', all, LIFE)
    assert.equal([...((await store.get('binary'))?.value ?? [])], [...all])
    await store.set('empty', new Uint8Array(), LIFE)
    assert.is((await store.get('empty'))?.value.length, 0)
  })

  check('keeps a view apart from the buffer it looks into', async ({ store }) => {
    const buffer = bytes('left|middle|right')
    await store.set('view', buffer.subarray(5, 11), LIFE)
    buffer.fill(0)
    assert.is(text((await store.get('view'))?.value), 'middle')
  })

  check('keeps keys apart, whatever they look like', async ({ store }) => {
    const keys = ['a', 'A', 'a ', 'a:b', 'a*', '__proto__', 'constructor', 'ключ', '🔑', 'k'.repeat(1000)]
    for (const [i, key] of keys.entries()) await store.set(key, bytes(`value ${i}`), LIFE)
    for (const [i, key] of keys.entries()) assert.is(text((await store.get(key))?.value), `value ${i}`, key)
  })

  check('replaces value and life when set again', async ({ store, advance }) => {
    await store.set('a', bytes('old'), { ttlSecs: 1, staleSecs: 0 })
    await store.set('a', bytes('new'), LIFE)
    await advance(2000)
    const entry = await store.get('a')
    assert.is(text(entry?.value), 'new')
    assert.is(entry?.fresh, true)
  })

  check('deletes, and says whether there was something', async ({ store }) => {
    await store.set('a', bytes('one'), LIFE)
    await store.set('b', bytes('two'), LIFE)
    assert.is(await store.delete('a'), true)
    assert.is(await store.get('a'), undefined)
    assert.is(await store.delete('a'), false)
    assert.is(text((await store.get('b'))?.value), 'two')
  })

  check('gives an entry past its time to live as stale, and past both times not at all', async ({ store, advance }) => {
    await store.set('a', bytes('one'), { ttlSecs: 2, staleSecs: 2 })
    await advance(1000)
    assert.is((await store.get('a'))?.fresh, true)
    await advance(2000)
    const stale = await store.get('a')
    assert.is(stale?.fresh, false)
    assert.is(text(stale?.value), 'one')
    await advance(2000)
    assert.is(await store.get('a'), undefined)
  })

  check('forgets an entry without a stale window at its time to live', async ({ store, advance }) => {
    await store.set('a', bytes('one'), { ttlSecs: 1, staleSecs: 0 })
    await advance(1500)
    assert.is(await store.get('a'), undefined)
  })

  check('is not kept alive by being read', async ({ store, advance }) => {
    await store.set('a', bytes('one'), { ttlSecs: 2, staleSecs: 0 })
    await advance(1200)
    assert.ok(await store.get('a'))
    await advance(1200)
    assert.is(await store.get('a'), undefined)
  })

  check('takes many sets at once', async ({ store }) => {
    const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`)
    await Promise.all(keys.map(key => store.set(key, bytes(key), LIFE)))
    const found = await Promise.all(keys.map(key => store.get(key)))
    assert.equal(
      found.map(entry => text(entry?.value)),
      keys,
    )
  })

  check('ends with one whole value when a key is set by several at once', async ({ store }) => {
    const values = Array.from({ length: 20 }, (_, i) => String(i).repeat(10_000))
    await Promise.all(values.map(value => store.set('contested', bytes(value), LIFE)))
    assert.ok(values.includes(text((await store.get('contested'))?.value) ?? ''))
  })

  check('keeps a value of a megabyte', async ({ store }) => {
    const large = new Uint8Array(1 << 20).map((_, i) => (i * 31) % 251)
    await store.set('large', large, LIFE)
    const found = (await store.get('large'))?.value
    assert.is(found?.length, large.length)
    assert.ok(found && Buffer.from(found).equals(Buffer.from(large)))
  })

  store.run()
}
