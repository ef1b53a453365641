import { hash } from 'node:crypto'
import { type Token, tokensOf, unify } from './tokens.ts'
import { FUNCTION_WORDS, looksEnglish } from './words/function-words.ts'
import { spellingOf } from './words/spellings.ts'
import { singular } from './words/stem.ts'

/**
 * One key for what differs only in manners: Unicode, case, spaces, end punctuation, politeness, contractions, question
 * frames, number words and the plural of plain words. Never an identifier, path, flag, version or quotation.
 */
export const canonicalKey = (text: string, tokens: readonly Token[] = tokensOf(text)): string =>
  hash('sha256', canonicalText(text, tokens), 'base64url')

/** The text behind the key, for tests and for eyes. */
export function canonicalText(text: string, tokens: readonly Token[] = tokensOf(text)): string {
  if (!isEnglish(text, tokens)) return plain(text)
  const kept = withoutManners(tokens)
  const spoken = framed(kept.map(spelling))
  return spoken === '' ? plain(text) : `en:${spoken}`
}

/** Do the rules here know the language of this text? */
export const isEnglish = (text: string, tokens: readonly Token[]): boolean =>
  looksEnglish(
    text,
    tokens.flatMap(one => (one.kind === 'word' ? [one.text] : [])),
  )

/** Rules of English would be guesses here: only case, spaces and the last punctuation go. */
const plain = (text: string): string =>
  `as-is:${unify(text)
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/\s*[.?!。？！…]+$/u, '')}`

/** Code and quotations keep a mark of what they are, so that no plain word can be taken for them. */
function spelling({ kind, text, raw, unit }: Token): string {
  if (kind === 'quoted') return `'${raw.slice(1, -1)}'`.toLowerCase().replace(/\s+/gu, ' ')
  if (kind === 'number')
    return unit === undefined || text.endsWith(unit) ? text : `${text}${glued(raw) ? ` ${unit}` : ''}`
  return kind === 'word' ? word(text) : text
}

const glued = (raw: string): boolean => /\d\D+$|^[$€£₹¥]/u.test(raw)

const ARTICLES = new Set(['a', 'an', 'the'])
const word = (text: string): string => spellingOf(text) ?? singular(text)

const GREETING = /^(?:hi|hello|hey|hiya|howdy|greetings|yo)$/
const NOT_AFTER_GREETING = new Set('world in mean is vs versus and or kitty to from word fresh'.split(' '))
const THANKS = new Set(['thanks', 'cheers', 'thx', 'ty', 'thankyou', 'tia'])
/** `how do you say thank you`: there the words are what is asked about. */
const NOT_BEFORE_THANKS = new Set(
  'say saying says mean means meaning word phrase of for than to a the your my give with and write no reply'.split(' '),
)
const AFTER_THANKS = new Set('so much a lot very in advance ton bunch again everyone all guys you'.split(' '))

/** Greetings and pleas off the front, thanks off the back, `please` and articles from everywhere. */
export function withoutManners(tokens: readonly Token[]): readonly Token[] {
  let from = 0
  let to = tokens.length
  const text = (i: number): string => (tokens[i]?.kind === 'word' ? (tokens[i]?.text ?? '') : '')
  for (;;) {
    const skip = manners(text, from)
    if (skip === 0 || to - from - skip < 2 || NOT_AFTER_GREETING.has(text(from + skip))) break
    from += skip
  }
  for (;;) {
    const cut = thanks(tokens, text, from, to)
    if (cut === 0 || to - from - cut < 1) break
    to -= cut
  }
  // In a text of capitals a capital A says nothing.
  const quiet = tokens.some(({ raw }) => /\p{Ll}/u.test(raw))
  return tokens.slice(from, to).filter((one, i) => one.kind !== 'word' || !isFiller(one, quiet && i > 0))
}

function isFiller({ text, raw }: Token, named: boolean): boolean {
  // A capital A that does not begin the sentence is a name: `table A`.
  if (ARTICLES.has(text)) return raw !== 'A' || !named
  return text === 'please' || text === 'kindly' || text === 'pls' || text === 'plz'
}

/** How many tokens at `at` only greet or beg. */
function manners(text: (i: number) => string, at: number): number {
  const [a, b, c, d] = [text(at), text(at + 1), text(at + 2), text(at + 3)]
  if (GREETING.test(a)) return b === 'there' || b === 'everyone' || b === 'all' || b === 'team' || b === 'guys' ? 2 : 1
  if (a === 'good' && (b === 'morning' || b === 'afternoon' || b === 'evening' || b === 'day')) return 2
  if (a === 'please' || a === 'pls' || a === 'plz' || a === 'kindly') return 1
  if (a === 'excuse' && b === 'me') return 2
  if (a === 'quick' && b === 'question') return 2
  if (a === 'i' && b === 'was' && c === 'wondering' && (d === 'if' || d === 'whether')) return 4
  return 0
}

function thanks(tokens: readonly Token[], text: (i: number) => string, from: number, to: number): number {
  const last = text(to - 1)
  if (last === 'please' || last === 'pls' || last === 'plz') return 1
  let at = to - 1
  while (at > from && AFTER_THANKS.has(text(at))) at--
  const many = text(at - 1) === 'many' ? 1 : 0
  const isThanks = THANKS.has(text(at)) || (text(at) === 'thank' && text(at + 1) === 'you')
  const apart = /[.,!?;:]/.test(tokens[at - many]?.gap ?? '')
  if (isThanks && at - many > from && (apart || !NOT_BEFORE_THANKS.has(text(at - many - 1)))) return to - at + many
  const help = last === 'help' ? 1 : last === 'me' && text(to - 2) === 'help' ? 2 : 0
  if (help === 0) return 0
  if (text(to - help - 1) === 'please') return help + 1
  return /[.,!?;:]/.test(tokens[to - help]?.gap ?? '') ? help : 0
}

const ASKING = '(?:what|where|when|who|why|how|which|whether|if)'
const PERSON = '(?:i|we|you|one|u|someone|somebody|people)'
const VERBS =
  '(?:explain|describe|tell|show|give|help|write|list|create|provide|generate|summarize|summarise|recommend|suggest|define|teach|find|name)'

/** Frames around a question, each with what is left of it. Tried in order, again until none fits. */
const FRAMES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:so|and|well|okay|um|actually) (?=${ASKING} )`), ''],
  [new RegExp(`^(?:can|could|would|will) you (?:help me )?(?=${VERBS} )`), ''],
  [new RegExp(`^(?:i|we) (?:want|need|would like|like|would love)(?: to| you to) (?=${VERBS} )`), ''],
  [
    new RegExp(
      `^(?:i|we) (?:want|need|would like|like|would love)(?: to)? (?:know|find out|understand|learn) (?=${ASKING} )`,
    ),
    '',
  ],
  [new RegExp(`^(?:do|would) you (?:happen to )?know (?=${ASKING} )`), ''],
  [
    new RegExp(
      `^(?:please )?(?:tell|show|teach|explain|explain to|let)(?: (?:me|us))?(?: know| understand)? (?=how to |how (?:do|can|could|would|should) ${PERSON} )`,
    ),
    '',
  ],
  [new RegExp(`^(?:tell|let)(?: (?:me|us))(?: know)? (?=${ASKING} )`), ''],
  [
    /\b(is|was|do|did|can|could|will|would|should|has|have|had|must) not (i|you|he|she|it|we|they|this|that|there|my [a-z]+|your [a-z]+) /,
    '$1 $2 not ',
  ],
  [/^help me (?:to )?(?:understand|know|find out) /, 'explain '],
  [new RegExp(`^how (?:do|can|could|would|might|may) ${PERSON} (?:go about )?`), 'how to '],
  [/^how (?:should|shall|must) (?:i|we|one) /, 'how to '],
  [
    /^what is (?:best |easiest |simplest |right |correct |proper |good |quickest |fastest |recommended )?(?:way|method|procedure) (?:to|of|for) /,
    'how to ',
  ],
  [/^(?:what is )?(?:the )?(?:best|easiest|simplest|right|correct|proper) way (?:to|of|for) /, 'how to '],
  [/^what step (?:to|is needed to|do i need to take to) /, 'how to '],
  [/^what is (?:the )?step to /, 'how to '],
  [new RegExp(`^is there (?:any |some )?way (?:for me |for ${PERSON} )?to `), 'how to '],
  [/^(?:i|we) (?:want|need|would like) to know how to /, 'how to '],
  [/^how to (?:go about )/, 'how to '],
  [/^what do (.+) (?:mean|stand for)$/, 'what is $1'],
  [/^what do you mean by /, 'what is '],
  [/^explain (?:to me |me )?what (.+) (?:mean|is)$/, 'what is $1'],
  [/^what (.+) (?:mean|is)$/, 'what is $1'],
  [/^(?:tell me )what (.+) is$/, 'what is $1'],
  [/^explain (?:to me|me) /, 'explain '],
]

function framed(words: readonly string[]): string {
  let text = words.join(' ')
  for (let again = 0; again < 4; again++) {
    const before = text
    for (const [frame, left] of FRAMES) text = text.replace(frame, left)
    if (text === before) break
  }
  return text
}

/** Content words of a token list: what is left without grammar. */
export const contentOf = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(one => one.kind !== 'symbol' && (one.kind !== 'word' || !FUNCTION_WORDS.has(one.text)))
