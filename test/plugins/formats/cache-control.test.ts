import { cacheControl } from 'deflector/formats/cache-control'
import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const MAX = 3600
const asked = (header: string | undefined) => cacheControl({ 'cache-control': header }, MAX)
const ttl = (header: string | undefined) => cacheControl({ 'x-service-cache-ttl': header }, MAX).ttlSecs

test('without a wish, answers are read and written', () => {
  for (const header of [undefined, '', 'max-age=0', 'public, immutable', 'no-cached', 'x="no-cache']) {
    assert.equal(asked(header), { read: true, write: true }, header)
  }
})

test('no-cache is asked anew and stored; no-store is neither', () => {
  for (const header of ['no-cache', 'No-Cache', ' max-age=0 ,  no-cache ']) {
    assert.equal(asked(header), { read: false, write: true }, header)
  }
  for (const header of ['no-store', 'no-cache, no-store', 'NO-STORE,no-cache']) {
    assert.equal(asked(header), { read: false, write: false }, header)
  }
})

test('a time to live is held to what is allowed', () => {
  assert.is(ttl('60'), 60)
  assert.is(ttl(' 60 '), 60)
  assert.is(ttl('3601'), MAX)
  assert.is(ttl('9'.repeat(400)), MAX)
})

test('a time to live of nothing stores nothing, and still reads', () => {
  for (const header of ['0', '00', '+0', ' 0 '])
    assert.equal(cacheControl({ 'x-service-cache-ttl': header }, MAX), { read: true, write: false }, header)
  const anew = { 'x-service-cache-ttl': '0', 'cache-control': 'no-cache' }
  assert.equal(cacheControl(anew, MAX), { read: false, write: false })
})

test('what is no number of seconds, or less than none, is refused, and an empty header asks for nothing', () => {
  for (const header of [undefined, '', ' ']) assert.is(ttl(header), undefined, header)
  for (const header of ['soon', '1.5', '1e3', '60s', '0x10', 'NaN', 'Infinity', '60, 60', '-4', '-0', ' -1 '])
    assert.throws(() => ttl(header), 'x-service-cache-ttl: must be a whole number of seconds, 0 or more')
})

test('whatever the headers hold, a time to live is a whole number within its bounds', () => {
  const number = fc.oneof(fc.nat().map(String), fc.bigInt({ min: 0n }).map(String), fc.constant(' '))
  const header = fc.option(number, { nil: undefined })
  const said = fc.option(fc.string(), { nil: undefined })
  fc.assert(
    fc.property(said, header, fc.integer({ min: 1, max: 1e9 }), (control, seconds, max) => {
      const found = cacheControl({ 'cache-control': control, 'x-service-cache-ttl': seconds }, max)
      if (!found.write) assert.ok(found.ttlSecs === undefined || !found.read)
      const { ttlSecs = 1 } = found
      assert.ok(Number.isSafeInteger(ttlSecs) && ttlSecs >= 1 && ttlSecs <= max)
    }),
  )
})

test.run()
