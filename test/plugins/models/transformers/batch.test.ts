import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { batchOf } from '../../../../plugins/models/transformers/batch.ts'

const texts = (...lengths: readonly number[]): { text: string }[] =>
  lengths.map(length => ({ text: 'x'.repeat(length) }))
const many = (length: number): { text: string }[] => texts(...Array.from({ length: 100 }, () => length))

test('short texts go by number', () => {
  assert.is(batchOf([]), 0)
  assert.is(batchOf(texts(10, 20)), 2)
  assert.is(batchOf(many(80)), 32)
})

test('long ones go by what they cost, and one goes however long it is', () => {
  assert.is(batchOf(many(1024)), 8)
  assert.is(batchOf(many(100_000)), 4, 'what is cut costs no more')
  assert.is(batchOf(texts(100_000)), 1)
})

test('one long text does not fill twenty short ones up to its length', () => {
  assert.is(batchOf(texts(...Array.from({ length: 20 }, () => 50), 2000)), 20)
  assert.is(batchOf(texts(2000, 50, 50, 50, 50, 50)), 4)
})

test.run()
