import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shortened, wrapped } from '../../ui-tui/terminal-text.ts'

test('a text that fits stays, a longer one ends in an ellipsis in the last column', () => {
  assert.is(shortened('ten signs.', 10), 'ten signs.')
  assert.is(shortened('eleven sign', 10), 'eleven si…')
  assert.is(shortened('', 10), '')
})

test('characters of two columns count twice, and marks not at all', () => {
  assert.is(shortened('如何重置密码', 12), '如何重置密码')
  assert.is(shortened('如何重置密码', 11), '如何重置密…')
  assert.is(shortened('e\u0301'.repeat(10), 10), 'e\u0301'.repeat(10))
})

test('what would move the cursor or turn the line becomes a space', () => {
  assert.is(shortened('a\u001b[2Jb\nc\td\u202ee', 20), 'a [2Jb c d e')
})

test('lines break between words, and within a word only where it is longer than a line', () => {
  assert.equal(wrapped('one two three', 8), ['one two', 'three'])
  assert.equal(wrapped('one two', 3), ['one', 'two'])
  assert.equal(wrapped('abcdefgh ij', 5), ['abcde', 'fgh', 'ij'])
  assert.equal(wrapped('', 5), [''])
})

test.run()
