import { writeLargeJson } from 'deflector'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { busy, countTurns } from '../../support/loop-turns.ts'

const written = async (value: unknown): Promise<string> => (await writeLargeJson(value)).toString('utf8')

test('writes what JSON.stringify writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 70_000, 200_000), async (value, size) => {
      const many = Array.from({ length: size / 100 }, () => value)
      const body = { many, none: undefined, list: [undefined, [many]], text: 'é"\\'.repeat(size / 3), last: { value } }
      for (const each of [value, body, [body]]) assert.is(await written(each), JSON.stringify(each))
    }),
    { numRuns: 40 },
  )
})

test('writes a long string in pieces, cut neither inside a character nor inside an escape', async () => {
  for (const unit of ['a', 'é', '中文', '👩‍👩‍👧', '\\', '"', '\n', 'ab\\"\u0001', '\ud800', '\udc00x'])
    for (let shift = 0; shift < 3; shift++) {
      const text = '-'.repeat(shift) + unit.repeat(150_000 / unit.length)
      assert.is(await written([text]), JSON.stringify([text]))
    }
})

test('writes names that any object has, empty values, and what knows itself how it is written', async () => {
  const own = { toJSON: () => ({ at: 'home' }) }
  const filler = 'x'.repeat(100_000)
  const proto = JSON.parse(`{"__proto__":{"constructor":"${filler}"},"":[],"b":{}}`)
  for (const value of [proto, [own, filler, own], { own, filler, also: [[], {}] }])
    assert.is(await written(value), JSON.stringify(value))
})

test('gives the event loop back between its pieces', async () => {
  const pieces = 8
  const text = 'x'.repeat(60 << 10)
  const shapes = {
    'many items': Array.from({ length: pieces * 100 }, () => text.slice(0, text.length / 100)),
    'many members': Object.fromEntries(Array.from({ length: pieces }, (_, at) => [`k${at}`, text])),
    'something deep': { a: [{ b: Array.from({ length: pieces }, () => ({ text })) }] },
  }
  for (const [name, value] of Object.entries(shapes)) {
    const loop = countTurns()
    // Each piece takes as long as a slice of time.
    const bytes = await writeLargeJson(value, each => {
      busy()
      return JSON.stringify(each)
    })
    loop.stop()
    assert.is(bytes.toString(), JSON.stringify(value))
    assert.ok(loop.turns >= pieces - 1, `${name}: ${loop.turns} turns`)
  }
})

test('gives the event loop back between the pieces of one string', async () => {
  const loop = countTurns()
  await writeLargeJson('\n'.repeat(16 << 20))
  loop.stop()
  assert.ok(loop.turns >= 3, `${loop.turns} turns`)
})

test.run()
