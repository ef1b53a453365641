import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { canonicalText as textOf } from '../../../../plugins/models/pair/canonical.ts'
import { parse, readPrompt } from '../../../../plugins/models/pair/reading.ts'
import { QUESTIONS } from './questions.ts'

const canonicalText = (text: string): string => textOf(parse(text))
const refused = (text: string): string | undefined =>
  readPrompt(text, { languages: new Set(['en']), maxPieces: 64, areWork: () => false }).refused

type Change = (text: string) => string

/** What greets or thanks around fewer words may be a title. */
const isLong = (text: string): boolean => text.split(' ').length > 2

const bare: Change = text => text.replace(/[.?!]+$/, '')
/** In mid-sentence: `Explain` is `explain`, and neither `I'd` nor `SQL` changes. */
const within: Change = text => text.replace(/^(?!I\b)\p{Lu}(?!\p{Lu})/u, first => first.toLowerCase())
const ended: Change = text => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Capitals of a short word in mid-sentence, and capitals within a word: there case says something. */
const NAMES = /\b(?:[Gg]it|awk|sed)\b|(?<=\p{L}[,;]?\s+)(?!I\b)\p{Lu}\p{L}{0,2}(?!\p{L})|\p{L}\p{Lu}/u
/** Words and nothing else: in a path, a number with its unit, a quotation or a name case may say something. */
const words = (change: (word: string) => string): Change => {
  return text =>
    NAMES.test(text)
      ? text
      : text.replace(/"[^"]*"|\S+/gu, piece => (/^\p{L}[\p{L}'’-]*[.,:;?!…]*$/u.test(piece) ? change(piece) : piece))
}

const LOOKS: readonly Change[] = [
  words(word => word.toLowerCase()),
  // What is left small tells those who shout from names in capitals.
  text => (/[/=]|\d\p{Ll}/u.test(text) ? text : words(word => word.toUpperCase())(text)),
  words(word => word.replace(/^\p{Ll}/u, first => first.toUpperCase())),
  text => `  ${text.replaceAll(' ', '  ')} `,
  text => `${text.replaceAll(' ', '\t')}\n`,
  bare,
  text => `${bare(text)}??`,
  text => `${bare(text)} ?!`,
  // `144!` is a factorial.
  text => `${bare(text)}${/\d$/.test(bare(text)) ? '.' : '!'}`,
  text => `${bare(text)}...`,
  text => `${bare(text)}…`,
  text => text.replaceAll("'", '’').replace(/"([^"]*)"/g, '“$1”'),
]
const FRONTS: readonly Change[] = [
  'Please, ',
  'please ',
  'Hi, ',
  'hi there, ',
  'Hello! ',
  'Hey there, ',
  'Good morning, ',
  'Good evening everyone! ',
  'Hello all, ',
  'Quick question: ',
  'Excuse me, ',
  'Hi! Please ',
].map(front => text => front + within(text))
const BACKS: readonly Change[] = [
  text => `${bare(text)}, please?`,
  // What someone says please for may be asked about.
  text => `${bare(text)}${/\b(?:for|of|to|mean)\W*$/i.test(text) ? ', please' : ' please'}`,
  text => `${bare(text)}, thanks`,
  // `the word for thanks` asks about the word.
  text => `${bare(text)}${/\b(?:for|of|to|mean)\W*$/i.test(text) ? '. Thanks' : ' thanks'}`,
  ...[
    'Thanks!',
    'Thank you.',
    'Thank you very much.',
    'Thanks in advance!',
    'Many thanks!',
    'Cheers!',
    'Please help.',
    'Thank you so much for your help!',
    'Thanks for your time.',
    'I appreciate it.',
    'Any help would be appreciated.',
    '🙏',
    ':)',
  ].map(
    (back): Change =>
      text =>
        `${ended(text)} ${back}`,
  ),
]

/** What an assistant may be asked to do with `could you`. */
const COMMAND = /^(?:Explain|Describe|Summari[sz]e|Translate|(?:Write|Give|Show|Tell) me)\b/
const PLEAS: readonly Change[] = [
  text => `Could you ${within(bare(text))}?`,
  text => `Could you please ${within(bare(text))}?`,
  text => `can you ${within(bare(text))}`,
  text => `Would you ${within(bare(text))}?`,
]
const QUESTION = /^(?:what|where|when|who|whose|why|how|which)\b/i
const LEADS: readonly Change[] = [
  'Can you tell me ',
  'Could you please tell me: ',
  'Tell me ',
  'I would like to know ',
  'I want to know ',
  'Can you please let me know ',
].map(lead => text => lead + within(text))
const GREETED: Change = text => (isLong(text) ? `hey ${within(text)}` : text)
const KNOWN: Change = text => (/^how to/i.test(text) ? text : `Do you know ${within(text)}`)

/** A text to work on: what ends it is part of it, and so is its case. */
const HANDS_OVER = /:\s|^(?:Translate|Rewrite|Fix|Correct|Summari[sz]e|Simplify|Shorten|Improve)\b/

const changesOf = (text: string): readonly Change[] => [
  ...(HANDS_OVER.test(text) ? [] : [...LOOKS, ...(isLong(text) ? BACKS : [])]),
  ...(isLong(text) ? FRONTS : []),
  ...(COMMAND.test(text) && !HANDS_OVER.test(text) ? PLEAS : []),
  ...(QUESTION.test(text) ? [...LEADS, KNOWN, GREETED] : []),
]
function assertSame(text: string, changed: string): void {
  assert.is(canonicalText(changed), canonicalText(text), `${text} | ${changed}`)
  assert.is(refused(changed), refused(text), `${text} | ${changed}`)
}

test('every change of manners leaves each of the questions what it is', () => {
  for (const text of QUESTIONS) for (const change of changesOf(text)) assertSame(text, change(text))
})

test('several changes at once do, in whatever order', () => {
  const [looks, fronts, backs] = [LOOKS, FRONTS, BACKS].map(changes => fc.constantFrom(...changes))
  assert.ok(looks && fronts && backs)
  fc.assert(
    fc.property(
      fc.constantFrom(...QUESTIONS.filter(text => isLong(text) && !HANDS_OVER.test(text))),
      fronts,
      backs,
      looks,
      looks,
      (text, front, back, look, again) => {
        assertSame(text, again(look(back(front(text)))))
      },
    ),
    { numRuns: 2000, seed: 1 },
  )
})

test('no two of the questions have one key', () => {
  assert.is(new Set(QUESTIONS.map(text => canonicalText(text))).size, QUESTIONS.length)
})

const OTHERS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  numbers: [
    ['What is -5 + 3?', 'What is 5 + 3?'],
    ['Convert -40 C to F', 'Convert 40 C to F'],
    ['What is 10^-3?', 'What is 10^3?'],
    ['What is 2.5 squared?', 'What is 25 squared?'],
    ['What is 1/2 of 30?', 'What is 12 of 30?'],
    ['What is √9?', 'What is 9?'],
    ['What is 5!', 'What is 5?'],
    ['What is (2+3)*4?', 'What is 2+(3*4)?'],
    ['Is 5 ≤ 3?', 'Is 5 ≥ 3?'],
    ['Convert 5 € to $', 'Convert 5 $ to €'],
    ['chmod 755 the file', 'chmod 775 the file'],
    ['What happened in World War I?', 'What happened in World War II?'],
  ],
  negations: [
    ['Why does it start?', "Why doesn't it start?"],
    ['Should I go?', "Shouldn't I go?"],
    ['Can bats see?', "Can't bats see?"],
    ['Coffee with milk', 'Coffee without milk'],
    ['Why did you stop?', 'Why did you not stop?'],
  ],
  code: [
    ['What does getUser do?', 'What does getUsers do?'],
    ['How do I run grep -r?', 'How do I run grep -R?'],
    ['git branch -d old', 'git branch -D old'],
    ["What does 'ls -l' do?", "What does 'ls -L' do?"],
    ['Explain `Map` in Haskell', 'Explain `map` in Haskell'],
    ['What does *args mean?', 'What does **args mean?'],
    ['What does $1 mean in bash?', 'What does $2 mean in bash?'],
    ['What does $@ mean in bash?', 'What does $* mean in bash?'],
    ['What does ; do in bash?', 'What does : do in bash?'],
    ['What does ?: mean in JavaScript?', 'What does ?? mean in JavaScript?'],
    ['What is the ? operator in Rust?', 'What is the ! operator in Rust?'],
    ['What does a++ do?', 'What does ++a do?'],
    ['Explain a && b', 'Explain a & b'],
  ],
  quotations: [
    ['Convert "HELLO" to lowercase', 'Convert "hello" to lowercase'],
    ['Hash "Secret" with sha256', 'Hash "secret" with sha256'],
    ['Does the regex "[a-z]" match?', 'Does the regex "[A-Z]" match?'],
    ['What does "thank you" mean?', 'What does "please" mean?'],
  ],
  manners: [
    ['How do I say please in Korean?', 'How do I say in Korean?'],
    ['What does this emoji mean: 🙏', 'What does this emoji mean: 😂'],
    ['What is 🙏?', 'What is 😂?'],
    ['Copy table A into table B', 'Copy table B into table A'],
  ],
  frames: [
    ['How do you feel?', 'How do I feel?'],
    ['How do you use my photos?', 'How do I use my photos?'],
    ['What does DNA stand for?', 'What is DNA?'],
    ['I want to write a book', 'Write a book'],
    ['What is the easiest way to learn guitar?', 'What is the fastest way to learn guitar?'],
    ['Should I freeze bananas?', 'Can I freeze bananas?'],
  ],
}
for (const [what, pairs] of Object.entries(OTHERS))
  test(`other ${what} have another key`, () => {
    for (const [a, b] of pairs) assert.is.not(canonicalText(a), canonicalText(b), `${a} | ${b}`)
  })

test.run()
