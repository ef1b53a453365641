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
  for (const header of ['0', '00', '-0', '-5', ' 0 '])
    assert.equal(cacheControl({ 'x-service-cache-ttl': header }, MAX), { read: true, write: false }, header)
  const anew = { 'x-service-cache-ttl': '0', 'cache-control': 'no-cache' }
  assert.equal(cacheControl(anew, MAX), { read: false, write: false })
})

test('what is no number of seconds is passed over', () => {
  for (const header of [undefined, '', 'soon', '1.5', '1e3', '60s', '0x10', 'NaN', 'Infinity', '60, 60']) {
    assert.is(ttl(header), undefined, header)
  }
})

test('whatever the headers hold, a time to live is a whole number within its bounds', () => {
  const header = fc.option(fc.oneof(fc.string(), fc.integer().map(String), fc.bigInt().map(String)), { nil: undefined })
  fc.assert(
    fc.property(header, header, fc.integer({ min: 1, max: 1e9 }), (control, seconds, max) => {
      const said = cacheControl({ 'cache-control': control, 'x-service-cache-ttl': seconds }, max)
      if (!said.write) assert.ok(said.ttlSecs === undefined || !said.read)
      const { ttlSecs = 1 } = said
      assert.ok(Number.isSafeInteger(ttlSecs) && ttlSecs >= 1 && ttlSecs <= max)
    }),
  )
})

test.run()
