import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { canonicalText as textOf } from '../../../../plugins/models/pair/canonical.ts'
import { parse } from '../../../../plugins/models/pair/reading.ts'
import { isWritten } from '../../../../plugins/models/pair/written.ts'
import { OTHERS } from './other-questions.ts'

const canonicalText = (text: string): string => textOf(parse(text))
const same = (a: string, b: string): void => assert.is(canonicalText(a), canonicalText(b))
const other = (a: string, b: string): void => assert.is.not(canonicalText(a), canonicalText(b), `${a} | ${b}`)

test('case, spaces and end punctuation make no other question', () => {
  same('What is a mutex?', 'WHAT IS A MUTEX')
  same('What is a mutex?', '  what   is a mutex ?!')
  same('What is a mutex?', 'What is a\nmutex...')
  same('Who wrote “Dune”?', 'Who wrote "Dune"')
  same('ｗhat is a mutex', 'what is a mutex')
  same('What is a caf\u00e9?', 'what is a cafe\u0301')
  same('What is 2\u22121?', 'what is 2-1')
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
  same('My build fails. Please explain why.', 'My build fails. explain why')
})

test('frames around one question are one question', () => {
  for (const framed of [
    'how to rebase a branch',
    'I would like to know how to rebase a branch.',
    'Could you please tell me: how do I rebase a branch?',
    'Please let me know how do I rebase a branch',
  ])
    same(framed, 'How do I rebase a branch?')
  same('Could you explain entropy?', 'Explain entropy')
  same('Do you know who wrote Hamlet?', 'Who wrote Hamlet?')
})

test('advice, a way for another one and whether there is one are other questions', () => {
  const ways = [
    'How do I rebase a branch?',
    'How should I rebase a branch?',
    'How can I rebase a branch?',
    'How do you rebase a branch?',
    'What is the best way to rebase a branch?',
    'How do we rebase a branch?',
    'Is there a way to rebase a branch?',
  ]
  assert.is(new Set(ways.map(way => canonicalText(way))).size, ways.length)
})

test('capitals of words under four letters count', () => {
  for (const [a, b] of [
    ['how much does RAM cost', 'how much does ram cost'],
    ['best US stocks', 'best us stocks'],
    ['jobs in IT', 'jobs in it'],
    ['What is the best EV', 'what is the best ev'],
    ['who is Pat in the film', 'who is pat in the film'],
    ['Who plays in It', 'Who plays in it'],
  ] as const)
    other(a, b)
})

test('case says nothing in longer words, where a sentence begins, in titles, in shouts and in well-known names', () => {
  same('What Is A Monad', 'what is a monad')
  same('What Is The Capital Of Peru?', 'what is the capital of Peru')
  same('Add a user. Use the shell.', 'add a user. use the shell.')
  same('HOW DO I TAP MY CARD', 'how do i tap my card')
  same('How do I RESET my Password', 'how do i reset my password')
  same('What is STEM?', 'what is stem')
  same('Explain how JSON works', 'explain how json works')
  same('How do I use GitHub on an iPad?', 'how do i use github on an ipad')
})

test('a text to work on stays as it was written, to its end', () => {
  for (const [a, b] of [
    ['Translate: you are coming?', 'Translate: you are coming.'],
    ['Translate to French: you are coming!', 'Translate to French: you are coming'],
    ['translate you are coming?', 'translate you are coming'],
    ['Translate to French: I love it 🙄', 'Translate to French: I love it 😍'],
    ['Translate to French: I love it 🙄', 'Translate to French: I love it'],
    ['can you translate I love it 🙄', 'can you translate I love it 😍'],
    ['Translate to French: see you, thanks', 'Translate to French: see you'],
    ['Translate: Polish', 'Translate: polish'],
    ['What is the tone of this: fine...', 'What is the tone of this: fine'],
    ['Fix this sentence\nyou are coming?', 'Fix this sentence\nyou are coming.'],
    ['Is it polite?\n\nsee you 🙄', 'Is it polite?\n\nsee you 😍'],
    ['Rewrite "you are coming?', 'Rewrite "you are coming'],
    ['Übersetze bitte: du kommst heute?', 'Übersetze bitte: du kommst heute.'],
  ] as const)
    other(a, b)
  same('Please translate to French: see you soon', 'translate  to French:  see you soon')
  same('Translate hello to French, please!', 'translate hello to French')
  same('What does this do: "see you"?', 'what does this do: "see you"?')
  same('Extract the name from: "PASS: one".', 'Extract the name from: "PASS: one"')
  same('Quick question: what is a mutex?', 'what is a mutex')
  same('git: undo last commit?', 'Git: undo last commit')
  other('I love it 🙄 is that rude', 'I love it 😍 is that rude')
  other('Is that rude? I love it 🙄', 'Is that rude? I love it 😍')
})

test('contractions are spelled one way, and number words are not', () => {
  same("Why doesn't it compile?", 'Why does it not compile?')
  same("I'm lost and can't log in", 'I am lost and can not log in')
  same("What's the meaning of serendipity?", 'What is the meaning of serendipity?')
  other('List twenty one rivers', 'List twenty rivers')
  other('List five rivers', 'List 5 rivers')
})

for (const [what, pairs] of Object.entries(OTHERS))
  test(`another question: ${what}`, () => {
    for (const [a, b] of pairs) other(a, b)
  })

/** Of every kind that has signs which say something. No word here may be bent by its frame alone. */
const EXACT = `
What is 2 + 3 * 4
Solve x = -4 for (a - b) / c
What is 10² divided by √16
Is 3.10 ≤ 3.1 true
Compute 5! mod 7
What does ls -R /var/log do
How do I use $PATH in bash
What does \\d{3}-[a-z]+ match
What does a?.b ?? c do in C#
Explain x => x.y; in code
What does {} mean in Python
Is 'A' == "b" true
How do I call print(a, b[0])
What does \`fooBar\` do in main.rs
Convert 10 MB to kB
How much is €20 in £
Is $5.50 more than ₹400
What is 50% of 1,250
What does 😀 say to 🇩🇪
Why does → differ from ←
What is A ∪ B
What is H₂O made of
Was 1999-12-31 at 23:59 a friday
Why is the zip 02134 in use
What does 3e8 look like
Translate: she left; he stayed
Who said: veni, vidi, vici
Is a re-signed letter valid
`
  .trim()
  .split('\n')

const SIGNS = [...'!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~0123456789abcxyzABCXYZäßÉ€£¥°²³½×÷±≤≥≠√∞∪∩←→•§µπ🇫😀你']

/** End punctuation is what the key may lose, and with the case of plain words it is all. */
test('a character more, less or other that is not at the end is another question', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...EXACT),
      fc.nat(),
      fc.constantFrom(...SIGNS),
      fc.constantFrom('more', 'less', 'other'),
      (text, seed, sign, how) => {
        const letters = [...text]
        const at = seed % (letters.length - 1)
        const here = letters[at] ?? ''
        if (how !== 'more' && /\s/.test(here)) return
        const changed = [
          ...letters.slice(0, at),
          how === 'less' ? '' : sign,
          ...letters.slice(how === 'more' ? at : at + 1),
        ]
        const result = changed.join('')
        if (result.toLowerCase() === text.toLowerCase()) return
        other(text, result)
      },
    ),
    { numRuns: 20_000, seed: 1 },
  )
})

test('the case of what is no plain word is kept', () => {
  for (const [a, b] of [
    ['What does ls -r do?', 'What does ls -R do?'],
    ['Open /tmp/Log', 'Open /tmp/log'],
    ['Explain getUser', 'Explain getuser'],
    ['Explain `Foo`', 'Explain `foo`'],
    ["Is 'A' a letter?", "Is 'a' a letter?"],
    ['Use $Path', 'Use $PATH'],
    ['Match \\s here', 'Match \\S here'],
    ['How much is 3mW?', 'How much is 3MW?'],
    ['Copy 10 Mb', 'Copy 10 MB'],
    ['What is the unit of g?', 'What is the unit of G?'],
    ['What is the US?', 'What is the us?'],
    ['Hash Secret with md5', 'Hash secret with md5'],
    ['sha256 of Hello world', 'sha256 of hello world'],
    ['SHA-256 of Yes', 'SHA-256 of yes'],
    ['Compare sort and sort!', 'Compare sort and sort'],
  ] as const)
    other(a, b)
})

test('words of manners that are asked about are kept', () => {
  other('How do you say thank you in Dutch?', 'How do you say in Dutch?')
  other('Write hello world in C', 'Write world in C')
  other('What is the meaning of please', 'What is the meaning of thanks')
  assert.match(canonicalText('How do you say thanks'), /thanks?$/)
  assert.match(canonicalText('Songs that begin with please in the title'), /please/)
})

test('a text to work on stays as it is in each language', () => {
  other('Übersetze: Sie sind da', 'Übersetze: sie sind da')
  other('Übersetze du kommst?', 'Übersetze du kommst')
  other('Traduis : tu viens ?', 'Traduis : tu viens')
  other('Traduce: vienes?', 'Traduce: vienes')
  other('翻译成英文：你来？', '翻译成英文：你来。')
})

test('another language loses only case, spaces and the last punctuation', () => {
  same('¿Cuál es la capital de Francia?', '¿cuál  es la capital de francia')
  other('Voy a la casa', 'Voy la casa')
  other('日本の首都は？', '中国の首都は？')
  same('日本の首都は？', '日本の首都は')
  other('2²', '22')
  other('5!', '5?')
})

test('an exclamation mark behind a number or a letter is a factorial, unless a name has that version', () => {
  same('Is it python 2!', 'is it python 2')
  for (const reckoned of [
    'How many zeros are in 100',
    'sqrt 9',
    'factor 10',
    'is 5 the same as 5',
    'which grows faster, 2^n or n',
  ])
    other(`${reckoned}!`, reckoned)
  other('What is 5!', 'What is 5')
  other('WHAT IS 5!', 'WHAT IS 5')
  other('compute 10! please', 'compute 10 please')
  other('simplify n! / k!', 'simplify n / k')
  other('what does ! do in bash', 'what does do in bash')
})

test('where characters are spoken of, a mark that does not end such a sentence may be one of them', () => {
  other('How many characters are in hello world!', 'How many characters are in hello world?')
  other('does the regex match the string ok.', 'does the regex match the string ok')
  other('reverse the string cats and dogs?', 'reverse the string cats and dogs')
  same('How many characters are in hello world?', 'How many characters are in hello world')
  same('reverse the string cats and dogs.', 'reverse the string cats and dogs')
  same('list files that match a pattern?', 'list files that match a pattern')
  same('list files with "string"?', 'list files with "string"')
})

test('a letter that is a name is no article', () => {
  other('Copy table A into table B', 'Copy table into table B')
  other('Copy table A into table B', 'Copy table B into table A')
})

test('lines that are broken between words are sentences, and others are lines', () => {
  same('How do I sort\na list', 'How do I sort a list')
  other('Is this valid?\na:\n  b: 1', 'Is this valid?\na:\nb: 1')
  other('Is this valid?\na:\nb: 1', 'Is this valid?\na: b: 1')
})

test('where letters, characters, spaces or lines are spoken of, the width of those is kept', () => {
  for (const text of [
    'sha256 of hello  world',
    'md5 of hello  world',
    'base64 encode hello  world',
    'convert hello  world to hex',
    'count the characters in a  b',
    'count the spaces in a  b',
    'reverse the string a  b',
    'remove double spaces from hello  world',
    'bitte sha256 für die Wörter hallo  Welt',
  ])
    other(text, text.replace('  ', ' '))
  other('remove the line breaks from hello\nworld', 'remove the line breaks from hello world')
  same('Search  for lines with "string"', 'search for lines with "string"')
  same('  sha256 of hello world  ', 'sha256 of hello world')
  same('sha256 of hello world,  please', 'sha256 of hello world')
  same('What is  a hash', 'what is a hash')
})

test('the key is made anew from any text without failing, and respelling keeps it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'grapheme' }), text => {
      assert.is(textOf(parse(text)), textOf(parse(` ${text}  `)))
    }),
  )
})

test('titles, quotations and signs that are asked about stay apart', () => {
  for (const [one, another] of [
    ['Who sings the song Thank You?', 'Who sings the song Thanks a Lot?'],
    ['who starred in the tv show cheers', 'who starred in the tv show thanks'],
    ['What is the length of the string "a  b"?', 'What is the length of the string "a b"?'],
    ['How many capital letters are in Hello World?', 'How many capital letters are in hello world?'],
    ['What is the regex .?', 'What is the regex ?'],
  ] as const)
    other(one, another)
})

test('half of a surrogate pair is not looked up', () => {
  assert.is(isWritten('What is \ud800 in unicode?'), false)
  assert.is(isWritten('What is \ud83d\ude00 in unicode?'), true)
})

test.run()
