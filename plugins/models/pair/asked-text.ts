import { ENGLISH } from './function-words.ts'
import type { Token } from './token.ts'
import { wordSet } from './word-set.ts'

const OF_MANNERS = wordSet(
  'polite politer politely impolite rude ruder rudely courteous respectful disrespectful formal formally informal casual friendly ' +
    'friendlier unfriendly professional unprofessional harsh blunt offensive tactful tone',
)
/** How a text is put: its manners, its grammar and its verses. */
const FORM = new Set([
  ...OF_MANNERS,
  ...'sound sounds correct correctly grammatical grammatically punctuated capitalised capitalized'.split(' '),
  ...'rhyme rhymes rhyming haiku limerick stanza stanzas'.split(' '),
])
/** Where lines and spaces are asked about, they are what a text has. */
const SPACES = wordSet('space spaces spacing spaced whitespace tab tabs indent indented indentation')
const LINES = wordSet('line lines newline newlines break breaks')
const LAYOUT = new Set([...SPACES, ...LINES])
const TEXTS = wordSet(
  'text poem verse sentence sentences line lines phrase phrases word words paragraph paragraphs message messages mail email emails ' +
    'letter reply note post tweet comment essay title caption haiku limerick',
)
const OWNERS = wordSet('my our your his her their')
const SEEMS = wordSet('look looks seem seems sound sounds read reads feel feels come comes')
/** Before `that`, which then points at what came before: `is that rude`. */
const BEFORE_THAT = wordSet('is was does did would')

const speaksOf =
  (words: ReadonlySet<string>) =>
  (tokens: readonly Token[]): boolean =>
    tokens.some(({ kind, text }) => kind === 'word' && words.has(text))

export const speaksOfSpaces = speaksOf(SPACES)
export const speaksOfLines = speaksOf(LINES)

/** `is this rude`, `does my poem have two lines`, `which is more polite`. */
export function asksAboutText(sentence: readonly Token[]): boolean {
  const at = pointsAt(sentence)
  if (at < 0) return false
  // `which has more lines, awk or sed` asks about no text.
  const isWhich = sentence[at]?.text === 'which'
  return sentence.some(({ text }, i) => {
    if (i === at + 1) return FORM.has(text) ? !TEXTS.has(text) : /^reads?$/.test(text)
    return FORM.has(text) ? !isOfThing(sentence, i) : !isWhich && LAYOUT.has(text)
  })
}

/** `a formal dinner`, and neither `a formal letter` nor `correct English`. */
function isOfThing(sentence: readonly Token[], i: number): boolean {
  const after = sentence[i + 1]
  return /^(?:an?|the)$/.test(sentence[i - 1]?.text ?? '') && isThing(after) && !TEXTS.has(after?.text ?? '')
}

/** Index of the word that points at a text, or -1. */
const pointsAt = (sentence: readonly Token[]): number =>
  sentence.findIndex(({ text }, i) => {
    const after = sentence[i + 1]
    const isText = TEXTS.has(after?.text ?? '')
    if (text === 'this' || text === 'these' || text === 'following') return isText || !isThing(after)
    if (text === 'that') return BEFORE_THAT.has(sentence[i - 1]?.text ?? '') && !isThing(after)
    // `which sentence is`, and not `which word rhymes`.
    if (text === 'which') return i === 0 && (isText ? isGrammar(sentence[i + 2]) : !isThing(after))
    return isText && OWNERS.has(text)
  })

/** What is no thing behind `this` or `which`: `is this too rude`, `which is more polite`. */
const isThing = (one: Token | undefined): boolean =>
  one !== undefined && !isGrammar(one) && !FORM.has(one.text) && !LAYOUT.has(one.text)
const isGrammar = (one: Token | undefined): boolean => ENGLISH.has(one?.text ?? '') || SEEMS.has(one?.text ?? '')

/** Are the manners of a text asked about that stands before the question? `Could you please move. Is that rude?` */
export function asksAboutMannersBefore(tokens: readonly Token[]): boolean {
  if (!tokens.some(({ text }) => OF_MANNERS.has(text))) return false
  // One word before a pause greets.
  const start = tokens.findLastIndex(({ gap }, i) => i > 1 && /[.?!,;\n]/.test(gap))
  const question = tokens.slice(Math.max(start, 0))
  return start > 0 && pointsAt(question) >= 0 && question.some(({ text }) => OF_MANNERS.has(text))
}

/** `would it be rude to write could you please move`: what stands at `i` belongs to what is called rude. */
export function isAboutManners(tokens: readonly Token[], i: number): boolean {
  for (let at = i; at > 0; at--) {
    if (/[.,?!;\n]/.test(tokens[at]?.gap ?? '')) return false
    if (OF_MANNERS.has(tokens[at - 1]?.text ?? '')) return true
  }
  return false
}
