import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WordPieces } from '../../../plugins/formats/word-pieces.ts'
import { tokenizerJson } from '../../support/static-folder.ts'

const TOKENS = ['reset', 'pass', '##word', '##s', 'cafe', '我', '!', '[', ']', 'cls', '.', 'a', '##b', '✨', 'is']
const pieces = (maxTokens = 512): WordPieces => new WordPieces(tokenizerJson(TOKENS), maxTokens)
const all = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...TOKENS]
/** Without the first and last, which are always [CLS] and [SEP]. */
const tokens = (text: string): string =>
  pieces()
    .encode(text)
    .slice(1, -1)
    .map(id => all[id])
    .join(' ')

test('puts the special tokens around what it reads', () => {
  assert.equal(pieces().encode('reset'), [2, 5, 3])
  assert.equal(pieces().encode(''), [2, 3])
  assert.equal(pieces().encode(' \t\n'), [2, 3])
})

test('takes the longest pieces that it knows, and a word with an unknown piece as unknown', () => {
  assert.is(tokens('passwords'), 'pass ##word ##s')
  assert.is(tokens('passport reset'), '[UNK] reset')
  assert.is(tokens('ab'), 'a ##b')
})

test('forgets case and accents', () => {
  assert.is(tokens('RESET Café CAFÉ'), 'reset cafe cafe')
})

test('splits at punctuation, and ideographs from one another', () => {
  assert.is(tokens('reset!!is.'), 'reset ! ! is .')
  assert.is(tokens('我我a'), '我 我 a')
})

test('leaves out what cannot be seen, and takes every white space for a space', () => {
  assert.is(tokens('re\u200bset\u0000 pass\u00a0reset\ufeff'), 'reset pass reset')
})

test('takes special tokens in a text for what they say, in their own spelling only', () => {
  assert.is(tokens('a[MASK]a'), 'a [MASK] a')
  assert.is(tokens('[cls]'), '[ cls ]')
})

test('takes a word past its limit as unknown', () => {
  assert.is(tokens('a'.repeat(101)), '[UNK]')
})

test('cuts at the number of tokens it may give', () => {
  assert.equal(pieces(4).encode('a a a a a a'), [2, 16, 16, 16])
  assert.is(pieces().encode('reset '.repeat(100_000)).length, 512)
})

test('knows names of object members as words only', () => {
  assert.is(tokens('constructor toString'), '[UNK] [UNK]')
})

test('refuses a tokenizer of another kind', () => {
  assert.throws(() => new WordPieces({ ...tokenizerJson(TOKENS), pre_tokenizer: { type: 'ByteLevel' } }, 512))
  assert.throws(() => new WordPieces({ ...tokenizerJson(TOKENS), normalizer: null }, 512))
})

test.run()
