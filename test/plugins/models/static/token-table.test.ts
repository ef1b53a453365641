import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readTokenTable } from '../../../../plugins/models/static/token-table.ts'
import { onnx } from '../../../support/static-folder.ts'

const numbers = Int8Array.of(1, -2, 3, 127, -128, 0)
const small = { rows: 2, dimensions: 3, numbers }

test('finds the table and one scale for all of it', () => {
  const table = readTokenTable(onnx({ ...small, scale: [0.5] }))
  assert.is(table.rows, 2)
  assert.is(table.dimensions, 3)
  assert.equal([...table.numbers], [...numbers])
  assert.equal([...table.scale], [0.5])
  assert.equal([...table.zeroPoint], [0])
})

test('finds a scale and a zero point for each column', () => {
  const table = readTokenTable(onnx({ ...small, scale: [0.5, 1, 2], zeroPoint: [1, -1, 0] }))
  assert.equal([...table.scale], [0.5, 1, 2])
  assert.equal([...table.zeroPoint], [1, -1, 0])
})

test('reads the table in place', () => {
  const file = onnx(small)
  assert.is(readTokenTable(file).numbers.buffer, file.buffer)
})

test('says which graph it found in place of a static one', () => {
  const other = onnx({ ...small, ops: ['Gather', 'MatMul'] })
  assert.throws(() => readTokenTable(other), /its graph is Gather -> MatMul, not Gather\(int8 table/)
  assert.throws(() => readTokenTable(new Uint8Array(0)), /its graph is empty/)
})

test('refuses a table that is not whole', () => {
  assert.throws(() => readTokenTable(onnx({ ...small, rows: 3 })), /not a whole int8 matrix/)
  assert.throws(() => readTokenTable(onnx({ ...small, scale: [1, 2] })), /neither one float32 nor one a column/)
})

test.run()
