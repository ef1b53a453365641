import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  BIT_BYTES,
  BITS,
  CODES,
  COMMONS,
  COUNTS,
  DIMENSIONS,
  ESTIMATES,
  FOUND_ROWS,
  FOUND_VALUES,
  GRADES,
  HEAD,
  LENGTHS,
  QUERY_BITS,
  QUERY_CODES,
  QUERY_NUMBERS,
  ROWS,
  STEPS,
} from '../../../../../../plugins/layers/semantic-cache/engine/index/layout.ts'
import { newScan } from '../../../../../../plugins/layers/semantic-cache/engine/index/scan.ts'
import { seeded } from '../../../../../bench/sentences.ts'

const random = seeded(3)
const BLOCK = HEAD + 64 * 1024

function filled() {
  const scan = newScan()
  assert.ok(scan, 'this engine has SIMD')
  const { buffer } = scan.memory
  const [bytes, codes, floats] = [new Uint8Array(buffer), new Int8Array(buffer), new Float32Array(buffer)]
  const asked = new Int16Array(buffer, QUERY_CODES, DIMENSIONS)
  for (let i = 0; i < BIT_BYTES; i++) bytes[QUERY_BITS + i] = random() * 256
  for (let i = 0; i < DIMENSIONS; i++) asked[i] = random() * 4095 - 2047
  floats.set([900, 300, 1.5, 0.001], QUERY_NUMBERS / 4)
  for (let i = 0; i < ROWS * BIT_BYTES; i++) bytes[BLOCK + BITS + i] = random() * 256
  for (let i = 0; i < ROWS * DIMENSIONS; i++) codes[BLOCK + CODES + i] = random() * 255 - 127
  for (let row = 0; row < ROWS; row++) {
    floats[(BLOCK + LENGTHS) / 4 + row] = random() * 8
    floats[(BLOCK + COMMONS) / 4 + row] = random() * 3 - 1.5
    floats[(BLOCK + STEPS) / 4 + row] = random()
  }
  return { scan, bytes, codes, floats, asked }
}

/** What the loop shall write for a row: whole, and never out of bounds. */
function estimate({ bytes, floats }: ReturnType<typeof filled>, row: number): number {
  let differing = 0
  for (let i = 0; i < BIT_BYTES; i++) {
    const both = (bytes[BLOCK + BITS + row * BIT_BYTES + i] ?? 0) ^ (bytes[QUERY_BITS + i] ?? 0)
    differing += both.toString(2).replaceAll('0', '').length
  }
  const length = floats[(BLOCK + LENGTHS) / 4 + row] ?? 0
  const common = floats[(BLOCK + COMMONS) / 4 + row] ?? 0
  const score = 900 + (GRADES / 2) * common + length * (300 - 1.5 * differing)
  return Math.floor(Math.max(0, Math.min(GRADES - 1, score)))
}

test('estimates and counts as JavaScript does', () => {
  const all = filled()
  const count = ROWS - 5
  all.scan.score(BLOCK, count)
  const { buffer } = all.scan.memory
  const written = new Uint16Array(buffer, BLOCK + ESTIMATES, ROWS)
  const counts = new Uint32Array(buffer, COUNTS, GRADES)
  const expected = new Uint32Array(GRADES)
  for (let row = 0; row < count; row++) {
    const wanted = estimate(all, row)
    // Sums in 32 bits are rounded a little otherwise.
    assert.ok(Math.abs((written[row] ?? -9) - wanted) <= 1, `row ${row}: ${written[row]}, not ${wanted}`)
    const grade = written[row] ?? 0
    expected[grade] = (expected[grade] ?? 0) + 1
  }
  assert.equal([...counts], [...expected])
  assert.ok(written.includes(0) && written.includes(GRADES - 1), 'both bounds are reached')
  assert.equal([...written.subarray(count)], [0, 0, 0, 0, 0])
})

test('picks by the estimates, among the rows that count, and multiplies as JavaScript does', () => {
  const { scan, codes, floats, asked } = filled()
  const { buffer } = scan.memory
  const estimates = new Uint16Array(buffer, BLOCK + ESTIMATES, ROWS)
  for (let row = 0; row < ROWS; row++) estimates[row] = row % 3 === 0 ? 700 : 699
  // The last ones stand there from another time.
  const count = ROWS - 3
  const measured = scan.measure(BLOCK, count, 700)
  const wanted = Array.from({ length: count }, (_, row) => row).filter(row => row % 3 === 0)
  assert.equal([...new Uint32Array(buffer, FOUND_ROWS, measured)], wanted)
  for (const [i, row] of wanted.entries()) {
    let sum = 0
    for (let d = 0; d < DIMENSIONS; d++) sum += (codes[BLOCK + CODES + row * DIMENSIONS + d] ?? 0) * (asked[d] ?? 0)
    const value = sum * 0.001 * (floats[(BLOCK + STEPS) / 4 + row] ?? 0) + (floats[(BLOCK + COMMONS) / 4 + row] ?? 0)
    const found = new Float32Array(buffer, FOUND_VALUES, measured)[i] ?? Number.NaN
    assert.ok(Math.abs(found - value) <= 1e-5 * Math.max(1, Math.abs(value)), `row ${row}: ${found}, not ${value}`)
  }
  assert.is(scan.measure(BLOCK, count, 701), 0)
  assert.is(scan.measure(BLOCK, count, 0), count)
})

test.run()
