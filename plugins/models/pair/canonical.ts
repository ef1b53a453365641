import { asksAboutMannersBefore, isAboutManners, speaksOfLines, speaksOfSpaces } from './asked-text.ts'
import { unframed } from './frames.ts'
import { givenTextStart, speaksOfWords } from './given-text.ts'
import type { Language } from './language.ts'
import { isPlea } from './manners.ts'
import { type SaysCase, saysCaseIn } from './says-case.ts'
import type { Token } from './token.ts'
import { unify } from './tokens.ts'
import { wordSet } from './word-set.ts'

/** A prompt, read once for all that is asked about it. */
export interface Parsed {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly language: Language
  /** What stands between greetings and thanks. */
  readonly core: readonly [from: number, to: number]
}

/**
 * One text for what differs only in manners: Unicode, the case of words of four letters or more, spaces, end punctuation,
 * politeness, contractions and question frames. A text that is handed over to be worked on stays as it was written, but
 * for the width of its spaces where they are not spoken of. What the text finds is served without a verdict, so every
 * character stays in it that is not known to say nothing.
 */
export function canonicalText({ text, tokens, language, core: [from, end] }: Parsed): string {
  const [before, after] = [tokens[0]?.gap ?? '', tailOf(text, tokens)]
  // Rules of English would be guesses in another language.
  if (language !== 'en') return `${language}:${spelled(tokens, { words: true, letters: false }, before, after)}`
  // Thanks with more behind them are none.
  const to = end < tokens.length && QUIET.test(after) ? end : tokens.length
  const kept = from === 0 && to === tokens.length ? tokens : tokens.slice(from, to)
  const lead = from === 0 ? before : (tokens[from]?.gap ?? '').replace(/^[.,!?:;…]*\s*(?:[!,:–—-]+\s+)?/, '')
  const back = to === tokens.length ? after : left(tokens[to]?.gap ?? '', after)
  return `en:${unframed(spelled(kept, spokenOf(kept), lead, back))}`
}

const QUIET = /^[\s.?!,…。！？]*(?:[:;]-?[)D])?[\s.?!…]*$/u

/** What is spoken of, and so must stand as it does. */
interface SpokenOf {
  /** Letters: a hash, a code, capitals. */
  readonly letters: boolean
  /** Words: how to say or spell them, what they mean. */
  readonly words: boolean
}

const OF_LETTERS = wordSet(
  'uppercase lowercase capitalize capitalise camelcase md5 sha sha1 sha256 sha384 sha512 sha-1 sha-256 sha-384 sha-512 hmac crc32 base64 encode decode encrypt decrypt cipher rot13 ' +
    'ascii unicode checksum hex letters capitals capitalized capitalised capitalization capitalisation casing case-sensitive',
)

export const isOfLetters = (word: string): boolean => OF_LETTERS.has(word)

export const speaksOfLetters = (tokens: readonly Token[]): boolean =>
  tokens.some(({ kind, text }) => kind !== 'quoted' && OF_LETTERS.has(text))

/**
 * The gaps that may be what is asked about: wide ones among others, where letters, characters or spaces are spoken of, and
 * those with line ends. Who writes all of a prompt with wide spaces means nothing by it.
 */
export function keptGaps(tokens: readonly Token[]): (gap: string) => boolean {
  const isMixed = tokens.some(({ gap }, i) => i > 0 && gap === ' ')
  if (isMixed && (speaksOfLetters(tokens) || speaksOfSpaces(tokens) || speaksOfSigns(tokens))) return () => true
  return speaksOfLines(tokens) ? gap => gap.includes('\n') : () => false
}

const speaksOfSigns = (tokens: readonly Token[]): boolean =>
  tokens.some(({ kind, text }) => kind === 'word' && OF_SIGNS.has(text))

function spokenOf(tokens: readonly Token[]): SpokenOf {
  const letters = speaksOfLetters(tokens)
  return { letters, words: letters || tokens.some(({ kind, text }) => kind !== 'quoted' && speaksOfWords(text)) }
}

function spelled(tokens: readonly Token[], spoken: SpokenOf, lead: string, tail: string): string {
  let text = ''
  let { words } = spoken
  const from = givenTextStart(tokens)
  const isKept = keptGaps(tokens)
  const saysCase = saysCaseIn(tokens)
  const pleads = !asksAboutMannersBefore(tokens)
  let carried: string | undefined
  for (let i = 0; i < tokens.length; i++) {
    const one = tokens[i]
    if (!one) break
    const gap =
      carried ?? (i === 0 ? space(lead).trimStart() : isKept(one.gap) ? one.gap : between(one.gap, tokens[i - 1], one))
    const given = i >= from
    words ||= given
    if (!given && pleads && (!words || i < 4) && isPlea(tokens, i) && !isAboutManners(tokens, i)) {
      carried = gap
      continue
    }
    carried = undefined
    if (given) text += gap + one.raw
    else if (one.raw === '') text += words && i !== 1 ? '' : ` ${one.text}`
    else text += gap + spelling(tokens, i, words && i > 0, spoken.letters, saysCase)
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

function spelling(tokens: readonly Token[], i: number, words: boolean, letters: boolean, saysCase: SaysCase): string {
  const { kind = 'word', text = '', raw = '' } = tokens[i] ?? {}
  const short = tokens[i + 1]?.raw === ''
  if (kind === 'word' && raw === text && !short) return raw
  if (kind !== 'word') return raw
  if (short) return words ? raw.toLowerCase() : text
  // Grammar may be what is worked on: `md5 of Hello`.
  if (letters && i > 0 && text !== 'i') return raw
  return saysCase(i) ? raw : raw.toLowerCase()
}

/** The marks behind a question that say something: with others it is another question. */
export const endMarks = ({ text, tokens }: Parsed): string => end(tailOf(text, tokens), tokens).replace(/[^.?!…]/gu, '')

/** What stands behind the last token. */
function tailOf(text: string, tokens: readonly Token[]): string {
  let length = 0
  for (const { gap, raw } of tokens) length += gap.length + raw.length
  return unify(text).slice(length)
}

/** Between the question and the thanks, and behind those. */
const left = (gap: string, after: string): string =>
  gap.replace(/[\s.,!?:;…。！？–—-]+$/u, '') + after.replace(/^[\s.,!?…。！？]+$/u, '')

const MARKS = /[\s.?!…。？！]+$/u
/** Words that speak of characters: a mark may be one of them. */
const OF_SIGNS = wordSet(
  'symbol operator mark character characters string strings type method regex regexp pattern glob wildcard',
)
/** `what is the sign ?`: what stands apart behind these is what is asked about, as it is behind those words. */
const BEFORE_SIGN = wordSet('of called sign between and or the a an named key')
const ASKING = wordSet(
  'what where when who whose whom why how which is are am was were do does did can could will would should has have had must may shall',
)

/** One mark with which no such sentence ends: any but `?` behind a question, and `?` behind an order. */
const isOdd = (marks: string, tokens: readonly Token[]): boolean =>
  (ASKING.has(tokens[0]?.text ?? '') ? /^[^?]$/ : /^\?$/).test(marks.trim())

const ARTICLES = wordSet('a an the')
const COMPARING = wordSet('and or vs versus from')

/** `the method empty`; neither `the method "empty"`, which has its own end, nor `a pattern`, which is any. */
const endsInSigns = (tokens: readonly Token[]): boolean =>
  tokens.at(-1)?.kind !== 'quoted' &&
  !ARTICLES.has(tokens.at(-2)?.text ?? '') &&
  tokens.some(({ text }) => OF_SIGNS.has(text))

/** `sort and sort!`: nothing else tells the two apart. */
const comparesWithItself = (tokens: readonly Token[]): boolean =>
  COMPARING.has(tokens.at(-2)?.text ?? '') && tokens.at(-3)?.text === tokens.at(-1)?.text

/** The end of a sentence says nothing behind a word; behind anything else it may. */
function end(tail: string, tokens: readonly Token[]): string {
  if (tail === '' || ((tail === '?' || tail === '.') && !isOdd(tail, tokens))) return ''
  const smiled = tail.replace(/(?<=[.?!]\s+)[:;]-?[)D][\s.?!…]*$/u, '')
  const marks = MARKS.exec(smiled)?.[0] ?? ''
  const kept = space(smiled.slice(0, smiled.length - marks.length))
  const said = marks.trim()
  if (said === '') return kept
  const last = tokens.at(-1)
  const apart = kept === '' && marks !== said && /^\s/u.test(marks)
  const isOfSigns = ({ text }: Token): boolean => BEFORE_SIGN.has(text) || OF_SIGNS.has(text)
  if (!last || (apart && (isOfSigns(last) || (last.text === 'is' && tokens.length < 3))))
    return kept + space(marks).trimEnd()
  if (isOdd(said, tokens) && endsInSigns(tokens)) return kept + said
  if (/^[?!]$/.test(marks) && comparesWithItself(tokens)) return kept + said
  // A factorial's own sign is a token; this one is of a bracket or of what is reckoned.
  const reckoned = /[)\]}]$/.test(kept)
    ? last.kind === 'number' || last.raw.length === 1
    : last.kind === 'symbol' || (last.kind === 'number' && marks !== said)
  return said.startsWith('!') && reckoned ? `${kept}!` : kept
}
