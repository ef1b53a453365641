import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fields, text } from '../../../../plugins/models/static/protobuf.ts'
import { message } from '../../../support/static-folder.ts'

test('reads numbers, bytes and fixed-width fields in order', () => {
  const file = Buffer.concat([message([1, 300], [7, 'inner']), Uint8Array.of(0x15, 1, 2, 3, 4), message([2, 2 ** 40])])
  const all = [...fields(file)]
  assert.equal(
    all.map(field => [field.number, field.wire]),
    [
      [1, 0],
      [7, 2],
      [2, 5],
      [2, 0],
    ],
  )
  assert.is(all[0]?.value, 300)
  assert.is(text(all[1]?.bytes ?? new Uint8Array()), 'inner')
  assert.equal([...(all[2]?.bytes ?? [])], [1, 2, 3, 4])
  assert.is(all[3]?.value, 2 ** 40)
})

test('gives views on the file, not copies', () => {
  const file = message([9, new Uint8Array(1000)])
  assert.is([...fields(file)][0]?.bytes.buffer, file.buffer)
})

test('refuses every message that is cut short, and never runs on', () => {
  const whole = message([1, 300], [9, new Uint8Array(40)])
  for (let length = 1; length < whole.length; length++) {
    if (length === 3) continue // there a field ends
    assert.throws(() => [...fields(whole.subarray(0, length))], /cut short/, `${length} bytes`)
  }
  assert.throws(() => [...fields(new Uint8Array(64).fill(255))], /cut short/)
})

test.run()
