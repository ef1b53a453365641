import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { canonicalKey, canonicalText } from '../../../../plugins/layers/semantic-cache/canonical.ts'

const same = (a: string, b: string): void => assert.is(canonicalText(a), canonicalText(b))
const other = (a: string, b: string): void => assert.is.not(canonicalText(a), canonicalText(b))

test('case, spaces and end punctuation make no other question', () => {
  same('What is a mutex?', 'WHAT IS A MUTEX')
  same('What is a mutex?', '  what   is a mutex ?!')
  same('What is a mutex?', 'What is a\nmutex...')
  same('Who wrote “Dune”?', 'Who wrote "Dune"')
  same('ｗhat is a mutex', 'what is a mutex')
})

test('manners make no other question', () => {
  for (const polite of [
    'Please explain the CAP theorem',
    'Hello! Explain the CAP theorem.',
    'Good evening. Explain the CAP theorem, please.',
    'Could you explain the CAP theorem? Many thanks in advance!',
    'explain the CAP theorem thanks',
    'Explain the CAP theorem. Please help me.',
    'hey there, can you please explain the CAP theorem?',
  ])
    same(polite, 'Explain the CAP theorem.')
})

test('frames around one question are one question', () => {
  for (const framed of [
    'How can I rebase a branch?',
    'how to rebase a branch',
    "What's the best way to rebase a branch?",
    'Is there a way to rebase a branch?',
    'Can you show me how to rebase a branch?',
    'I would like to know how to rebase a branch.',
  ])
    same(framed, 'How do I rebase a branch?')
  same('What does idempotent mean?', 'What is idempotent?')
  same('Do you know who wrote Hamlet?', 'Who wrote Hamlet?')
})

test('contractions, number words and plain plurals are spelled one way', () => {
  same("Why doesn't it compile?", 'Why does it not compile?')
  same('List five rivers', 'list 5 rivers')
  same('What is a database index?', 'What are database indexes?')
})

test('identifiers, paths, flags, versions and quotations stay as they are', () => {
  other('What does getUser do?', 'What does getUsers do?')
  other('Open /var/log/app', 'Open /var/logs/app')
  other('What is new in 3.11.1?', 'What is new in 3.11.2?')
  other('Sort by "name"', 'Sort by "names"')
  other('Explain --dry-run', 'Explain --dry-runs')
  other('Explain `cats`', 'Explain cats')
  other('What is 2 + 2?', 'What is 2 - 2?')
})

test('words of manners that are asked about are kept', () => {
  other('How do you say thank you in Dutch?', 'How do you say in Dutch?')
  other('Write hello world in C', 'Write world in C')
  other('What is the meaning of please', 'What is the meaning of thanks')
  assert.match(canonicalText('How do you say thanks'), /thanks?$/)
})

test('another language loses only case, spaces and the last punctuation', () => {
  same('¿Cuál es la capital de Francia?', '¿cuál  es la capital de francia')
  other('Voy a la casa', 'Voy la casa')
  other('日本の首都は？', '中国の首都は？')
  same('日本の首都は？', '日本の首都は')
})

test('a letter that is a name is no article', () => {
  other('Copy table A into table B', 'Copy table into table B')
  other('Copy table A into table B', 'Copy table B into table A')
})

test('the key is made anew from any text without failing, and respelling keeps it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), text => {
      assert.is(canonicalKey(text), canonicalKey(` ${text}  `))
    }),
  )
})

test.run()
