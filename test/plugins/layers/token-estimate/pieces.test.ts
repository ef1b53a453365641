import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { manageable, packed } from '../../../../plugins/layers/token-estimate/pieces.ts'

test('prose stays whole; a run without a gap, and a gap without an end, are cut', () => {
  const prose = 'The quick brown fox. '.repeat(500)
  assert.equal([...manageable(prose)], [prose])
  const run = `begin ${'a'.repeat(1000)} ${' '.repeat(600)}end`
  const pieces = [...manageable(run)]
  assert.is(pieces.join(''), run)
  assert.ok(pieces.every(piece => !/\S{300}|\s{300}/.test(piece)))
  assert.equal([...manageable('')], [])
})

test('small texts go together and large ones in parts', () => {
  assert.equal([...packed(['one', 'two', ''])], ['one\ntwo'])
  const large = 'x'.repeat(200_000)
  const parts = [...packed(['small', large])]
  assert.ok(parts.length >= 3)
  assert.is(parts.join('').replace('\n', ''), `small${large}`)
})

test.run()
