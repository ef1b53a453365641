import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeValue, encodeValue } from '../../../../plugins/stores/redis/value.ts'

const all = Uint8Array.from({ length: 256 }, (_, i) => i)

test('a value is fresh up to its time, and keeps every byte', () => {
  const stored = encodeValue('k', all, 1000)
  assert.is(decodeValue('k', stored, 999)?.fresh, true)
  assert.is(decodeValue('k', stored, 1000)?.fresh, false)
  assert.equal([...(decodeValue('k', stored, 0)?.value ?? [])], [...all])
  assert.is(decodeValue('k', encodeValue('k', new Uint8Array(), 1), 0)?.value.length, 0)
})

test('what we did not write is no value', () => {
  for (const text of ['', 'x', 'DFL2', '{"message":"a reply"}', 'DFL2 and a few characters more']) {
    assert.is(decodeValue('k', Buffer.from(text), Number.NEGATIVE_INFINITY), undefined, text)
  }
})

test('neither is what was cut, lengthened, or changed in any byte', () => {
  const stored = encodeValue('k', all, 1000)
  for (let i = 0; i < stored.length; i++) {
    assert.is(decodeValue('k', stored.subarray(0, i), 0), undefined, `cut at ${i}`)
    const changed = Buffer.from(stored)
    changed[i] = (changed[i] ?? 0) ^ 0x10
    assert.is(decodeValue('k', changed, 0), undefined, `changed at ${i}`)
  }
  assert.is(decodeValue('k', Buffer.concat([stored, Buffer.of(0)]), 0), undefined)
})

test("neither is another key's", () => {
  const stored = encodeValue('deflector:answers:mine', all, 1000)
  for (const key of ['deflector:answers:theirs', 'deflector:answers:', 'deflector:answers:mineD', '']) {
    assert.is(decodeValue(key, stored, 0), undefined, key)
  }
})

test.run()
