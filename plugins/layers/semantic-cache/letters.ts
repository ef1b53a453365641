import type { Token } from './token.ts'
import { FUNCTION_WORDS } from './words/function-words.ts'
import { NAMED } from './words/short-words.ts'

/** Nouns that a letter follows: of these kinds there are an A and a B. */
const NOUNS = new Set(
  (
    'vitamin hepatitis influenza usb serie series tier category class team appendix exhibit annex zone option section terminal ward ' +
    'division liga league omega strep'
  ).split(' '),
)
/** The same, where they are no verbs: `plan a trip`, `grade a paper`. */
const VERBS_TOO = new Set(
  'plan grade gate group type form part level model schedule block channel rate position'.split(' '),
)
/** Before these ends what is named; an article would have a thing behind it. */
const ENDS = new Set(
  'and or to into from in of is are was were does did has have vs versus with than on at by for if when while because but'.split(
    ' ',
  ),
)
/** A verb follows. */
const ACTORS = new Set(
  'to i you u we they he she it who can could should would will shall must may might not and then please help me us let'.split(
    ' ',
  ),
)
const ARTICLES = new Set(['a', 'an'])
const IS = new Set(['is', 'are', 'was', 'were'])
const PAUSE = /[,;.?!)\]/]/

/**
 * Is the one letter at `i` a name? Every letter is but the article and the words that are one letter long. An article
 * has a thing behind it, so an `a` at the end, before a pause or before a joint is a letter, and so is one behind a
 * noun of which there are an A and a B.
 */
export function isLetterOf(tokens: readonly Token[], i: number): boolean {
  const { kind, text = '', raw = '' } = tokens[i] ?? {}
  if (kind !== 'word' || text.length !== 1) return false
  const before = tokens[i - 1]
  // A number's unit is compared with the number.
  if (before?.kind === 'number' && before.unit !== undefined) return false
  if (tokens[i]?.gap === "'") return false
  if (text === 'i' || text === 'u') return isBehindNoun(before) && isLast(tokens, i)
  if (text !== 'a') return true
  return (isEnded(tokens, i) && i > 0) || isNumbered(tokens, i) || (raw === 'A' && i > 0 && hasSmall(tokens))
}

const isBehindNoun = (one: Token | undefined): boolean => one?.kind === 'word' && !FUNCTION_WORDS.has(one.text)

/** Nothing follows, or another sentence. */
function isLast(tokens: readonly Token[], i: number): boolean {
  const after = tokens[i + 1]
  return after === undefined || PAUSE.test(after.gap)
}

function isEnded(tokens: readonly Token[], i: number): boolean {
  const after = tokens[i + 1]
  return isLast(tokens, i) || after === undefined || (ENDS.has(after.text) && isBehindNoun(tokens[i - 1]))
}

/** `vitamin a deficiency`, and not `how to plan a trip`. */
export function isNumbered(tokens: readonly Token[], i: number): boolean {
  const [start, noun] = [tokens[i - 2], tokens[i - 1]]
  if (noun?.kind !== 'word') return false
  if (NOUNS.has(noun.text)) return true
  if (!VERBS_TOO.has(noun.text) || start === undefined || ACTORS.has(start.text)) return false
  // `is a group a kind of set`.
  return !ARTICLES.has(start.text) && !(i === 2 && IS.has(start.text))
}

const hasSmall = (tokens: readonly Token[]): boolean =>
  tokens.some(({ raw }, i) => i > 0 && raw.length > 1 && /^\p{Ll}/u.test(raw))

/** Verbs and prepositions that a pronoun follows before a thing: `give us examples`. */
const GIVING = new Set(
  (
    'give tell show let help teach send make allow get bring ask call keep take cause hurt kill want need like love lend buy offer ' +
    "enable let's contact join follow support"
  ).split(' '),
)
const LINKS = new Set('in for with about of to from at on by under and or vs versus'.split(' '))

/**
 * Is `us`, `it` or `who` the name of a country, a trade or an office here? In capitals it is, and so it is where no
 * pronoun could stand: before a thing, at the beginning or behind a preposition.
 */
export function isNamed(tokens: readonly Token[], i: number): boolean {
  const { kind, text = '', raw = '' } = tokens[i] ?? {}
  if (kind !== 'word' || !NAMED.has(text)) return false
  if (/^\p{Lu}.?\p{Lu}/u.test(raw) && hasSmall(tokens)) return true
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (text === 'who' || after?.kind !== 'word' || after.gap.trim() !== '' || FUNCTION_WORDS.has(after.text))
    return false
  if (text === 'us') return before === undefined || !GIVING.has(before.stem)
  return before !== undefined && LINKS.has(before.text)
}
