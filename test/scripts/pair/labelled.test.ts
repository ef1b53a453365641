import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { familyPairs, keyOf, tablePairs } from '../../../scripts/pair/labelled.ts'

test('a pair of lines has the key that key_of in sources.py gives it, whichever comes first', () => {
  assert.is(keyOf('b x', 'a y'), '17cf0f6032c99703')
  assert.is(keyOf('a y', 'b x'), '17cf0f6032c99703')
  assert.is(keyOf('é ü', 'z q'), '2885d06cf1ccba07')
})

test('the parts of our own pairs are those of sources.py, and none shares a pair with another', () => {
  const parts = (['train', 'calibrate', 'test'] as const).map(part => tablePairs(part))
  assert.is(
    parts.reduce((sum, { length }) => sum + length, 0),
    tablePairs().length,
  )
  // As part_of says in Python.
  assert.ok(parts[0]?.some(({ one }) => one === 'how do i unclog a kitchen sink'))
  assert.ok(parts[2]?.some(({ one }) => one === 'best way to clean stainless steel appliances'))
})

test('a family gives all pairs of its prompts of one answer, and each of them with every trap', () => {
  const pairs = familyPairs()
  const [first] = pairs
  const mine = pairs.filter(({ from }) => from === first?.from)
  assert.ok(mine.some(({ same }) => same))
  assert.ok(mine.some(({ same }) => !same))
  assert.ok(
    pairs.every(({ from }) => from.length !== 2),
    'English only',
  )
})

test.run()
