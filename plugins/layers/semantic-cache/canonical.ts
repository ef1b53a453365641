import { hash } from 'node:crypto'
import { type SaysCase, saysCaseIn } from './capitals.ts'
import { givenTextStart } from './given-text.ts'
import { betweenPoliteness } from './politeness.ts'
import { unframed } from './question-frames.ts'
import type { Token } from './token.ts'
import { tokensOf, unify } from './tokens.ts'
import { FUNCTION_WORDS, looksEnglish } from './words/function-words.ts'
import { isLarge } from './words/numbers.ts'

/**
 * One key for what differs only in politeness: Unicode, the case of plain words, spaces, end punctuation, politeness,
 * contractions, question frames and number words. A text that is handed over to be worked on stays as it was written,
 * but for the width of its spaces. What it finds is served unseen by guards and verifier, so the rule is
 * the other way round than theirs: every character stays in it that is not known to say nothing.
 */
export const canonicalKey = (text: string, tokens: readonly Token[] = tokensOf(text)): string =>
  hash('sha256', canonicalText(text, tokens), 'base64url')

/** The text behind the key, for tests and for eyes. */
export function canonicalText(text: string, tokens: readonly Token[] = tokensOf(text)): string {
  const [before, after] = [tokens[0]?.gap ?? '', tailOf(text, tokens)]
  const [from, end] = betweenPoliteness(tokens)
  // Thanks with more behind them are none.
  const to = end < tokens.length && QUIET.test(after) ? end : tokens.length
  const kept = from === 0 && to === tokens.length ? tokens : tokens.slice(from, to)
  if (!looksEnglish(text, kept)) return `as-is:${spelled(tokens, asIs(tokens), before, after)}`
  const rules = spellingRulesOf(kept)
  const lead = from === 0 ? before : (tokens[from]?.gap ?? '').replace(/^[.,!?:;…]*\s*(?:[!,:–—-]+\s+)?/, '')
  const back = to === tokens.length ? after : left(tokens[to]?.gap ?? '', after)
  return `en:${unframed(spelled(kept, rules, lead, back))}`
}

const QUIET = /^[\s.?!,…。！？]*(?:[:;]-?[)D])?[\s.?!…]*$/u

/** What is spoken of, and so must stand as it does. */
interface SpellingRules {
  /** Letters: a hash, a code, capitals. */
  readonly letters: boolean
  /** Words: how to say or spell them, what they mean. */
  readonly words: boolean
  readonly saysCase: SaysCase
}

const OF_LETTERS = new Set(
  (
    'uppercase lowercase capitalize capitalise capitalized capitalised capitalization capitalisation camelcase md5 sha sha1 sha256 ' +
    'sha512 base64 encode encoded decode decoded encrypt encrypted decrypt decrypted cipher rot13 ascii unicode checksum hex'
  ).split(' '),
)
const OF_WORDS = new Set(
  (
    'mean means meaning meanings say says said saying spell spells spelled spelling word words phrase phrases sentence sentences letter ' +
    'letters syllable syllables pronounce pronounced pronunciation translate translation define definition term synonym synonyms antonym ' +
    'antonyms plural singular rhyme rhymes grammar correct proofread rewrite rephrase paraphrase punctuate punctuation noun verb adverb ' +
    'adjective preposition pronoun article articles contraction contractions abbreviation acronym stand stands difference versus vs ' +
    'numeral numerals digit digits character characters'
  ).split(' '),
)

/** Rules of English would be guesses in another language. */
const asIs = (tokens: readonly Token[]): SpellingRules => ({
  letters: false,
  words: true,
  saysCase: saysCaseIn(tokens),
})

function spellingRulesOf(tokens: readonly Token[]): SpellingRules {
  let letters = false
  let words = false
  for (const { kind, text } of tokens) {
    if (kind === 'quoted') continue
    if (OF_LETTERS.has(text)) letters = true
    else if (OF_WORDS.has(text)) words = true
  }
  return { letters, words: words || letters, saysCase: saysCaseIn(tokens) }
}

function spelled(tokens: readonly Token[], rules: SpellingRules, lead: string, tail: string): string {
  let text = ''
  let { words } = rules
  const from = givenTextStart(tokens)
  let carried: string | undefined
  for (const [i, one] of tokens.entries()) {
    const before = tokens[i - 1]
    const gap = carried ?? (i === 0 ? space(lead).trimStart() : between(one.gap, before, one))
    const given = i >= from
    words ||= given
    if (!given && (!words || i < 4) && isPlea(tokens, i)) {
      carried = gap
      continue
    }
    carried = undefined
    text += gap + (given ? one.raw : one.raw === '' ? rest(tokens, i, words) : spelling(tokens, i, words, rules))
  }
  return tokens.length > 0 ? text + end(tail, tokens) : space(tail).trim()
}

const space = (gap: string): string => (gap === '' || gap === ' ' ? gap : gap.replace(/\s+/gu, ' '))

/** A line that is broken between two words is a space; what else is broken says so. */
const between = (gap: string, before: Token | undefined, after: Token): string =>
  gap !== ' ' && gap.includes('\n') && (gap.trim() !== '' || !isLow(before) || !isLow(after)) && gap.trim() !== '.'
    ? gap.replace(/[^\S\n]+(?=\n)/gu, '')
    : space(gap)
const isLow = (one: Token | undefined): boolean => one?.kind === 'word'

const YOU = new Set('you u i we me us someone somebody anyone anybody'.split(' '))
const PLEAS = new Set(['please', 'kindly', 'pls', 'plz'])
/** `could you please`, `tell me please`, `I am lost. Please`: everywhere else it may be what is asked about. */
function isPlea(tokens: readonly Token[], i: number): boolean {
  const one = tokens[i]
  if (one?.kind !== 'word' || !PLEAS.has(one.text)) return false
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (!before || after?.kind !== 'word') return false
  return /[.!?]\s/.test(one.gap) || (one.gap === ' ' && YOU.has(before.text))
}

function spelling(tokens: readonly Token[], i: number, words: boolean, { letters, saysCase }: SpellingRules): string {
  const { kind = 'word', text = '', raw = '' } = tokens[i] ?? {}
  if (kind === 'word' && raw === text) return raw
  if (kind === 'number') return words || !/^\p{L}/u.test(raw) || !isAlone(tokens, i) ? asWritten(raw, letters) : text
  if (kind !== 'word') return kind === 'quoted' && !raw.startsWith('`') ? space(raw) : raw
  if (tokens[i + 1]?.raw === '') return isShort(tokens, i, words) ? text : raw.toLowerCase()
  if (letters && i > 0 && !FUNCTION_WORDS.has(text)) return raw
  return saysCase(i) ? raw : raw.toLowerCase()
}

const OPENS = new Set('what who where how when why i'.split(' '))
/** May the short form that begins at `i` be spelled out? Where words are spoken of, only one that opens the question. */
const isShort = (tokens: readonly Token[], i: number, words: boolean): boolean =>
  !words || (i === 0 && OPENS.has(tokens[0]?.text ?? '') && !OF_WORDS.has(tokens[2]?.text ?? ''))

/** What follows in a short form. */
function rest(tokens: readonly Token[], i: number, words: boolean): string {
  let at = i
  while (at > 0 && tokens[at]?.raw === '') at--
  return isShort(tokens, at, words) ? ` ${tokens[i]?.text ?? ''}` : ''
}

const asWritten = (raw: string, letters: boolean): string => (letters || !/^\p{L}/u.test(raw) ? raw : raw.toLowerCase())

/** `twenty five` and `two hundred` are no two numbers. */
function isAlone(tokens: readonly Token[], i: number): boolean {
  const [before, one, after] = [tokens[i - 1], tokens[i], tokens[i + 1]]
  if (one === undefined || isLarge(one.raw)) return false
  const isNear = (other: Token | undefined, gap: string): boolean =>
    other !== undefined && (other.kind === 'number' || other.text === 'one') && /^[\s-]*$/.test(gap)
  return !isNear(before, one.gap) && !isNear(after, after?.gap ?? '')
}

/** What stands behind the last token. */
function tailOf(text: string, tokens: readonly Token[]): string {
  const all = unify(text)
  let length = 0
  for (const { gap, raw } of tokens) length += gap.length + raw.length
  return all.slice(length)
}

/** Between the question and the thanks, and behind those. */
const left = (gap: string, after: string): string =>
  gap.replace(/[\s.,!?:;…。！？–—-]+$/u, '') + after.replace(/^[\s.,!?…。！？]+$/u, '')

const MARKS = /[\s.?!…。？！]+$/u
/** `what is the sign ?`: what stands apart behind these is what is asked about. */
const BEFORE_SIGN = new Set(
  'of called symbol operator sign mark character between and or the a an named key type'.split(' '),
)

/** The end of a sentence says nothing behind a word; behind anything else it may. */
function end(tail: string, tokens: readonly Token[]): string {
  if (tail === '' || tail === '?' || tail === '.') return ''
  const smiled = tail.replace(/(?<=[.?!]\s+)[:;]-?[)D][\s.?!…]*$/u, '')
  const marks = MARKS.exec(smiled)?.[0] ?? ''
  const kept = space(smiled.slice(0, smiled.length - marks.length))
  const said = marks.trim()
  if (said === '') return kept
  const last = tokens.at(-1)
  const apart = kept === '' && marks !== said && /^\s/u.test(marks)
  if (!last || (apart && (BEFORE_SIGN.has(last.text) || (last.text === 'is' && tokens.length < 3))))
    return kept + space(marks).trimEnd()
  // A factorial's is a token.
  const shouted = last.kind === 'number' && kept === '' && marks === said
  return said.startsWith('!') && (/[)\]}]$/.test(kept) || /[^\p{L}]$/u.test(last.raw)) && !isName(last) && !shouted
    ? `${kept}!`
    : kept
}

/** A path, a quotation: what stands behind it is no sign of reckoning. */
const isName = ({ kind }: Token): boolean => kind === 'code' || kind === 'quoted'
