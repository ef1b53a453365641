import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeValue, encodeValue } from '../../../../plugins/stores/redis/value.ts'

test('a value is fresh up to its time, and keeps every byte', () => {
  const value = Uint8Array.from({ length: 256 }, (_, i) => i)
  const stored = encodeValue(value, 1000)
  assert.is(decodeValue(stored, 999).fresh, true)
  assert.is(decodeValue(stored, 1000).fresh, false)
  assert.equal([...decodeValue(stored, 0).value], [...value])
  assert.is(decodeValue(encodeValue(new Uint8Array(), 1), 0).value.length, 0)
})

test('what is not ours is never fresh and stays as it is', () => {
  for (const text of ['', 'x', 'DFL1', '{"message":"a reply of an older layout"}', 'DFL2 and a number']) {
    const { value, fresh } = decodeValue(Buffer.from(text), Number.NEGATIVE_INFINITY)
    assert.is(fresh, false)
    assert.is(Buffer.from(value).toString(), text)
  }
})

test.run()
