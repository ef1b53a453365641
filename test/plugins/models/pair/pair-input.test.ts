import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { likenessOf } from '../../../../plugins/models/pair/likeness.ts'
import { pairInput } from '../../../../plugins/models/pair/pair-input.ts'

const SPECIAL = { cls: 101, sep: 102 }

test('the smaller text stands first, and types say text and whether the other one has the piece', () => {
  assert.equal(pairInput([7, 9], [7, 8, 5], SPECIAL), {
    ids: [101, 7, 8, 5, 102, 7, 9, 102],
    types: [0, 2, 0, 0, 0, 3, 1, 1],
  })
  assert.equal(pairInput([7, 8], [7], SPECIAL).ids, [101, 7, 102, 7, 8, 102])
})

const pieces = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 })

test('exchange changes neither what the model reads nor the likeness', () => {
  fc.assert(
    fc.property(pieces, pieces, (a, b) => {
      assert.equal(pairInput(a, b, SPECIAL), pairInput(b, a, SPECIAL))
      const weak = new Set([3])
      assert.equal(likenessOf(a, b, weak), likenessOf(b, a, weak))
    }),
  )
})

test('likeness leaves out what says little, and counts no piece twice', () => {
  const likeness = likenessOf([1, 2, 3], [1, 4, 3, 3, 3, 3], new Set([3]))
  assert.equal(likeness, { shared: 1 / 3, contained: 0.5, length: 0.5 })
})

test.run()
