import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pooled } from '../../../../plugins/models/transformers/pooled.ts'

test('takes the mean of the tokens that count, at unit length', () => {
  const hidden = Float32Array.of(3, 0, 0, 4, 100, 100, /* second */ 1, 1, 1, 1, 1, 1)
  const vectors = pooled(hidden, BigInt64Array.of(1n, 1n, 0n, 1n, 1n, 1n), 2, 3, 2)
  const half = Math.SQRT1_2
  const expected = [0.6, 0.8, half, half]
  for (const [i, value] of vectors.entries()) assert.ok(Math.abs(value - (expected[i] ?? 0)) < 1e-6)
})

test('gives zeros, not NaN, where there is nothing', () => {
  assert.equal([...pooled(Float32Array.of(0, 0), [1n], 1, 1, 2)], [0, 0])
  assert.equal([...pooled(Float32Array.of(5, 5), [0n], 1, 1, 2)], [0, 0])
})

test.run()
