import { fact } from '../analysis.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { type Guard, sameSet } from './guard.ts'

/** Behind words that are spoken of: `for loop`, `and gate`. */
const NAMED =
  /^(?:loop|statement|operator|gate|keyword|clause|block|word|conjunction|preposition|pronoun|particle|tense)s?$/
/** Before them too: `the word than`. */
const NAMING = /^(?:keyword|word|operator|preposition|conjunction|pronoun|adverb|article|noun|adjective|verb|term)$/
/** Words that are grammar, and names of something where they stand before a loop or a gate. */
const KEYWORDS = new Set(
  'for while do if else and or not nor in is with then than until from as has have having where by'.split(' '),
)
const BARE = new Set('it this that these those you i they he she we the a an my your'.split(' '))
const TRACES =
  /^(?:use|using|mean|means|meaning|between|vs|versus|sentence|english|grammar|say|translate|write|spell|pronounce)$/

/** `what does for mean` is not `what does from mean`: a word that is spoken of is content, however small it is. */
export const mentioned: Guard = (a, b) => (sameSet(spokenOf(a), spokenOf(b)) ? undefined : 'mentioned')

const NONE: ReadonlySet<string> = new Set()

const spokenOf = fact(({ tokens }): ReadonlySet<string> => {
  if (!tokens.some(({ text }) => NAMED.test(text) || NAMING.test(text) || TRACES.test(text))) return NONE
  const found = new Set<string>()
  const text = tokens.map(one => (one.kind === 'word' ? one.text : ''))
  for (const [i, word] of text.entries()) {
    if (NAMED.test(word)) add(found, keywordsBefore(text, i))
    if (NAMING.test(word) && isSmall(text[i + 1]) && isEnd(text, i + 2)) found.add(text[i + 1] ?? '')
    if (word === 'mean' || word === 'means') add(found, meant(text, i))
    if (word === 'use' || word === 'using') add(found, used(text, i))
    if (word === 'say' || word === 'translate') add(found, said(text, i))
    if ((word === 'spell' || word === 'pronounce') && FUNCTION_WORDS.has(text[i + 1] ?? '') && i + 2 >= text.length)
      found.add(text[i + 1] ?? '')
    if (GRAMMAR.test(word) && text[i - 2] === 'is' && isSmall(text[i - 1])) found.add(text[i - 1] ?? '')
    if (/^(?:use|say|write)$/.test(word)) add(found, chosen(text, i))
    if (word === 'sentence' && isSentence(text, i)) found.add(text[text[i - 1] === 'a' ? i - 3 : i - 2] ?? '')
    if (word === 'between' || word === 'vs' || word === 'versus') add(found, compared(text, i))
  }
  return found
})

const add = (found: Set<string>, words: readonly string[]): void => {
  if (words.length > 0) found.add(words.join(' '))
}

const isSmall = (word: string | undefined): boolean => word !== undefined && FUNCTION_WORDS.has(word) && !BARE.has(word)

/** The `do while` of `the do while loop`. Articles are manners, and gone. */
function keywordsBefore(text: readonly string[], at: number): readonly string[] {
  let from = at
  while (from > 0 && at - from < 3 && KEYWORDS.has(text[from - 1] ?? '')) from--
  // `what is for loop`, `how do while loops work`.
  if (from < at && WH.has(text[from - 1] ?? '')) from++
  const joins = at - from === 1 && JOINING.has(text[from] ?? '') && !SYNTAX.test(text[at] ?? '')
  return joins ? [] : text.slice(from, at)
}

const WH = new Set('what how which why when'.split(' '))
/** `break in loops`, `letters in words`: these name a loop or a word of no kind. */
const JOINING = new Set('in with by from as and or is has have having where than then until'.split(' '))
/** `is but a conjunction`. */
const GRAMMAR = /^(?:conjunction|preposition|pronoun|adverb|article|verb|noun|adjective)$/
const SYNTAX = /^(?:operator|gate|statement|clause|keyword)s?$/

/** `what does for mean`. */
function meant(text: readonly string[], at: number): readonly string[] {
  const near = text.slice(Math.max(0, at - 4), at)
  const from = near.lastIndexOf('does')
  const words = near.slice(from + 1).filter(word => word !== 'word')
  return from !== -1 && words.length > 0 && words.length < 3 && words.every(isSmall) ? words : []
}

/** `when should I use who`, and not `use from the shell`. */
function used(text: readonly string[], at: number): readonly string[] {
  const word = text[at + 1]
  return isSmall(word) && isEnd(text, at + 2) ? [word ?? ''] : []
}

/** `how do you say with in Spanish`. */
const said = (text: readonly string[], at: number): readonly string[] =>
  isSmall(text[at + 1]) && /^(?:in|to|into)$/.test(text[at + 2] ?? '') ? [text[at + 1] ?? ''] : []

/** `should I say who or whom`. */
const chosen = (text: readonly string[], at: number): readonly string[] =>
  /^(?:and|or|vs)$/.test(text[at + 2] ?? '') && isSmall(text[at + 1]) && isSmall(text[at + 3])
    ? [text[at + 1] ?? '', text[at + 3] ?? ''].sort()
    : []

/** The prompt ends here, or goes on about a language or a sentence. */
const isEnd = (text: readonly string[], at: number): boolean =>
  at >= text.length ||
  /^(?:mean|means|and|or|vs|versus|do|work)$/.test(text[at] ?? '') ||
  (/^(?:in|with|when)$/.test(text[at] ?? '') &&
    /^(?:a|an|the|sentence|english|grammar|sql|python|writing)$/.test(text[at + 1] ?? ''))

/** `has in a sentence`: the very form counts. */
const isSentence = (text: readonly string[], at: number): boolean =>
  text[at - 1] === 'in' || (text[at - 1] === 'a' && text[at - 2] === 'in')

/** `between who and whom`, `then vs than`. */
function compared(text: readonly string[], at: number): readonly string[] {
  const [one, two] =
    text[at] === 'between'
      ? /^(?:and|or|vs)$/.test(text[at + 2] ?? '')
        ? [text[at + 1], text[at + 3]]
        : []
      : [text[at - 1], text[at + 1]]
  return one !== undefined && two !== undefined && (isSmall(one) || isSmall(two)) ? [one, two].sort() : []
}
