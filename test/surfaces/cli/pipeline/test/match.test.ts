import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { matchSubset, matchText } from '../../../../../surfaces/cli/pipeline/test/match.ts'

test('text is exact, a pattern between slashes, or absent', () => {
  assert.equal(matchText('h', 'l3', 'l3'), [])
  assert.equal(matchText('h', 'l33', '/^l3/'), [])
  assert.equal(matchText('h', 'L3', '/l3/i'), [])
  assert.equal(matchText('h', undefined, null), [])
  assert.equal(matchText('h', 'l1a', 'l3'), ['h: expected "l3", got "l1a"'])
  assert.equal(matchText('h', 'l1a', '/^l3/'), ['h: expected /^l3/, got "l1a"'])
  assert.equal(matchText('h', undefined, 'l3'), ['h: expected "l3", got nothing'])
  assert.equal(matchText('h', 'x', null), ['h: expected none, got "x"'])
})

test('an object fits when all that is expected of it is there', () => {
  assert.equal(matchSubset('body', { a: 1, b: { c: [1, { d: 'x' }] } }, { b: { c: [1, {}] } }), [])
  assert.equal(matchSubset('body', { a: 1 }, { a: 2 }), ['body.a: expected 2, got 1'])
  assert.equal(matchSubset('body', { a: 1 }, { b: 2 }), ['body.b: expected 2, got nothing'])
  assert.equal(matchSubset('body', 'text', { b: 2 }), ['body: expected an object, got "text"'])
  assert.equal(matchSubset('body', [], {}), ['body: expected an object, got []'])
})

test('lists have the same length and fit item by item', () => {
  assert.equal(matchSubset('l', [1, 2], [1, 2]), [])
  assert.equal(matchSubset('l', [1, 2], [1]), ['l: expected a list of 1, got [1,2]'])
  assert.equal(matchSubset('l', { 0: 1 }, [1]), ['l: expected a list of 1, got {"0":1}'])
  assert.equal(matchSubset('l', [1, 'b'], [1, '/c/']), ['l[1]: expected /c/, got "b"'])
})

test('null fits what is null or absent, and nothing else', () => {
  assert.equal(matchSubset('b', { a: null }, { a: null, c: null }), [])
  assert.equal(matchSubset('b', { a: 0 }, { a: null }), ['b.a: expected null, got 0'])
})

test('numbers, booleans and text are told apart', () => {
  assert.is(matchSubset('b', '1', 1).length, 1)
  assert.is(matchSubset('b', 1, '1').length, 1)
  assert.is(matchSubset('b', 'true', true).length, 1)
})

test.run()
