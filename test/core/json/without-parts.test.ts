import { withoutParts, withoutPartsInTurns } from 'deflector'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

type Path = (string | number)[]

const without = (text: string, ...paths: Path[]): string =>
  Buffer.from(withoutParts(Buffer.from(text), paths)).toString()

test('takes an item away with its comma, and leaves every other byte', () => {
  assert.is(
    without('{ "a" : [1, 2.50, "x" ] , "n":12345678901234567890}', ['a', 1]),
    '{ "a" : [1, "x" ] , "n":12345678901234567890}',
  )
  assert.is(without('[1,2,3]', [0]), '[2,3]')
  assert.is(without('[1,2,3]', [2]), '[1,2]')
  assert.is(without('[1,2,3]', [0], [1]), '[3]')
  assert.is(without('[ 1 , 2 ]', [0], [1]), '[  ]')
})

test('a path that leads nowhere changes nothing', () => {
  const text = '{"a":[{"b":[]}],"c":"d"}'
  for (const path of [
    ['x', 0],
    ['a', 7],
    ['a', 0, 'b', 0],
    ['c', 0],
    ['a', 'b'],
  ])
    assert.is(without(text, path), text)
  assert.is(without('"text"', ['a']), '"text"')
})

test('takes a member of an object anywhere away', () => {
  const text = '{"a":[{"b":1 , "c":[2]},{"b":3}]}'
  assert.is(without(text, ['a', 0, 'b'], ['a', 1, 'b']), '{"a":[{"c":[2]},{}]}')
  assert.is(without(text, ['a', 0, 'c'], ['a', 0, 'c', 0]), '{"a":[{"b":1},{"b":3}]}')
  assert.is(without(text, ['a']), '{}')
})

test('puts other text in place of a value, and leaves every other byte', () => {
  const text = '{ "a" : [ {"b":1.0 , "c":2.0}, 3.0 ],"d":4 }'
  const changed = withoutParts(
    Buffer.from(text),
    [['a', 0, 'c']],
    [
      { path: ['a', 0, 'b'], text: '"x"' },
      { path: ['d', 'e'], text: '0' },
    ],
  )
  assert.is(Buffer.from(changed).toString(), '{ "a" : [ {"b":"x"}, 3.0 ],"d":4 }')
})

test('is not misled by what strings hold', () => {
  const text = JSON.stringify({ m: ['],"{', { c: ['\\"]', 1, '}'] }] })
  assert.equal(JSON.parse(without(text, ['m', 1, 'c', 1])), { m: ['],"{', { c: ['\\"]', '}'] }] })
})

test('any items of any lists go, and the rest reads the same', () => {
  const lists = fc.array(fc.array(fc.jsonValue(), { maxLength: 6 }), { maxLength: 5 })
  fc.assert(
    fc.property(
      lists,
      fc.array(fc.tuple(fc.nat(5), fc.nat(6)), { maxLength: 8 }),
      fc.constantFrom(undefined, 1),
      (value, places, indent) => {
        const text = JSON.stringify({ lists: value, after: 0 }, null, indent)
        const gone = new Set(places.map(String))
        const kept = JSON.parse(text).lists.map((list: unknown[], at: number) =>
          list.filter((_, i) => !gone.has(`${at},${i}`)),
        )
        assert.equal(JSON.parse(without(text, ...places.map(([at, i]): Path => ['lists', at, i]))), {
          lists: kept,
          after: 0,
        })
      },
    ),
  )
})

test('a large text is the same when it is copied in turns', async () => {
  const text = JSON.stringify({
    a: Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'word '.repeat(9) })),
    b: 1.5,
  })
  const bytes = Buffer.from(text)
  const edits = [[['a', 7, 'at'], ['b']], [{ path: ['a', 9, 'text'], text: '"other"' }]] as const
  assert.is(Buffer.compare(await withoutPartsInTurns(bytes, ...edits), withoutParts(bytes, ...edits)), 0)
  assert.is(await withoutPartsInTurns(bytes, [['c']]), bytes)
})

test.run()
