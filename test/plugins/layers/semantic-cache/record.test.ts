import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Entry } from '../../../../plugins/layers/semantic-cache/entries.ts'
import {
  decodeRecord,
  encodeRecord,
  goneKey,
  pairKey,
  prefixOf,
  storeKey,
  subjectOf,
} from '../../../../plugins/layers/semantic-cache/record.ts'

const vector = new Float32Array(384).fill(1 / Math.sqrt(384))
const entry: Entry = {
  id: 'r1',
  partition: 'a'.repeat(64),
  canonical: 'c',
  text: 'a secret?\n',
  comparable: true,
  freshUntil: 1000,
  vector,
}
const value = Buffer.from('{"head":1}\nthe answer')

/** The record with some fields of its head changed. */
function forged(fields: object): Buffer {
  const whole = Buffer.from(encodeRecord(entry, value))
  const head = JSON.parse(whole.toString('utf8', 0, whole.indexOf(10)))
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, ...fields })}\n`), value])
}

const floats = (numbers: readonly number[]): string => Buffer.from(new Float32Array(numbers).buffer).toString('base64')
const withOne = (odd: number): string => floats([odd, ...vector.subarray(1)])

test('a record goes through a store as it was', () => {
  const { vector: _, ...bare } = { ...entry, text: 'schön\n"so"' }
  for (const one of [entry, bare]) {
    const found = decodeRecord(encodeRecord(one, value))
    assert.equal(found.entry, one)
    assert.equal(Buffer.from(found.value), value)
  }
})

test('what was cut anywhere is no record', () => {
  const whole = encodeRecord(entry, value)
  for (let i = 0; i < whole.length; i++) assert.throws(() => decodeRecord(whole.subarray(0, i)), undefined, String(i))
})

test('neither is what somebody else wrote, and the error repeats nothing of it', () => {
  const forgeries: Record<string, Uint8Array> = {
    nothing: new Uint8Array(),
    'a text': Buffer.from('a secret'),
    'a line of text': Buffer.from('a secret\na secret'),
    'no object': Buffer.from('["a secret"]\n'),
    null: Buffer.from('null\n'),
    'a head without end': Buffer.concat([Buffer.alloc(1 << 20, 'x'), Buffer.from('\n')]),
    'a text without end': forged({ text: 'a secret'.repeat(10_000) }),
    'another version': forged({ v: 1 }),
    'another length': forged({ bytes: 5 }),
    'an id that is none': forged({ id: { 'a secret': 1 } }),
    'a time that is none': forged({ freshUntil: 'a secret' }),
    'a vector that is none': forged({ vector: ['a secret'] }),
    'a vector cut within a number': forged({ vector: Buffer.alloc(7).toString('base64') }),
    'a vector with NaN': forged({ vector: withOne(Number.NaN) }),
    'a vector with infinity': forged({ vector: withOne(Number.NEGATIVE_INFINITY) }),
    'a vector that is near to all': forged({ vector: floats(Array(384).fill(1)) }),
    'a vector of huge numbers': forged({ vector: withOne(3e38) }),
  }
  for (const [what, bytes] of Object.entries(forgeries)) {
    try {
      decodeRecord(bytes)
    } catch (error) {
      assert.ok(error instanceof Error)
      assert.not.match(`${error.message} ${error.cause ?? ''}`, /secret/, what)
      continue
    }
    assert.unreachable(what)
  }
})

test('a key tells what it is about, and of which weights', () => {
  const place = { partition: entry.partition, canonical: 'c' }
  assert.equal(subjectOf(storeKey('m', place), 'm'), { is: 'entry', ...place })
  assert.equal(subjectOf(goneKey('m', place), 'm'), { is: 'gone', ...place })
  assert.equal(subjectOf(pairKey('m', 'y', 'x'), 'm'), { is: 'pair', one: 'x', other: 'y' })
  assert.is(pairKey('m', 'y', 'x'), pairKey('m', 'x', 'y'))
  assert.equal(subjectOf(prefixOf('m'), 'm'), { is: 'all' })
  for (const odd of ['a:b:c', 'a:b:c:d', 'apart:a:b:c']) assert.is(subjectOf(prefixOf('m') + odd, 'm'), undefined, odd)
})

test('no name of a model begins the keys of another, and none shows in them', () => {
  const names = ['m', 'm:', 'm:a', 'm\u0000', '', 'tei:http://user:hunter2@host/', 'x'.repeat(10_000), 'apart', '*']
  const prefixes = names.map(prefixOf)
  for (const prefix of prefixes) {
    assert.match(prefix, /^l1b:[0-9a-f]{16}:$/)
    assert.is(prefixes.filter(other => other.startsWith(prefix)).length, 1)
  }
})

test.run()
