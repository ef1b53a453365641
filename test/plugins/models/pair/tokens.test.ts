import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { tokensOf, unify } from '../../../../plugins/models/pair/tokens.ts'
import { QUESTIONS } from './questions.ts'

const texts = (prompt: string): string[] => tokensOf(prompt).map(({ kind, text }) => `${kind}:${text}`)
const written = (prompt: string): string =>
  tokensOf(prompt)
    .map(({ gap, raw }) => gap + raw)
    .join('')

test('gaps and tokens together are the whole prompt up to the last token', () => {
  const isWhole = (prompt: string): void => assert.ok(unify(prompt).startsWith(written(prompt)), prompt)
  for (const prompt of QUESTIONS) {
    isWhole(prompt)
    assert.match(unify(prompt).slice(written(prompt).length), /^[.?!]*$/, prompt)
  }
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), isWhole))
  const pieces = fc.constantFrom(
    ...["don't", 'x', '5', "'s", 'a.b', 'end.Then', '$5', '-', '!', ' ', '.', '"', '(', 'É', '²', '👍', '\n'],
  )
  fc.assert(fc.property(fc.array(pieces, { maxLength: 12 }), parts => isWhole(parts.join(''))))
})

test('a short form is its words, and its first has all that was written', () => {
  const [first, second] = tokensOf("Can't")
  assert.is(first?.text, 'can')
  assert.is(first?.raw, "Can't")
  assert.is(second?.text, 'not')
  assert.is(second?.raw, '')
  assert.equal(texts("what's the dog's name"), ['word:what', 'word:is', 'word:the', 'word:dog', "word:'s", 'word:name'])
})

test('signs, powers, flags and numbers of science are tokens', () => {
  assert.equal(texts('x² ≤ √y'), ['word:x', 'symbol:²', 'symbol:≤', 'symbol:√', 'word:y'])
  assert.equal(texts('is 🇩🇪 a flag').slice(1, 3), ['symbol:🇩', 'symbol:🇪'])
  assert.equal(texts('what is 3e8'), ['word:what', 'word:is', 'code:3e8'])
  assert.equal(texts('does 0x1F match \\D'), ['word:does', 'code:0x1f', 'word:match', 'code:\\D'])
  assert.equal(texts('5! or 5?'), ['number:5', 'symbol:!', 'word:or', 'number:5'])
  assert.equal(texts('5 - -3'), ['number:5', 'symbol:-', 'symbol:-', 'number:3'])
  assert.equal(texts('-5 + .5'), ['symbol:-', 'number:5', 'symbol:+', 'number:.5'])
})

test('a number keeps its digits', () => {
  assert.equal(texts('1.20 02134 1,250 3,1'), ['number:1.20', 'number:02134', 'number:1,250', 'number:3,1'])
})

test('a long prompt of one sign is read in time', () => {
  for (const sign of ["'", '(', '-', '1', 'a.', '\\', '!', '💥', '1,', 'A', '/', '1e']) tokensOf(sign.repeat(2000))
})

test.run()
