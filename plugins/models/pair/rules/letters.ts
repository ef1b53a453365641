import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import { romanAt, unitOf } from '../numbers.ts'
import { NAMED, SHORT, saysCaseIn, styleOf } from '../says-case.ts'
import type { Token } from '../token.ts'
import { wordSet } from '../word-set.ts'

export const agreeOnLetters = (a: Facts, b: Facts): boolean => letters(a) === letters(b)

const letters = fact(({ said }) =>
  said
    .filter((_, i) => isLetter(said, i))
    .map(({ text }) => text)
    .sort()
    .join(' '),
)

/** Behind a letter these go on; behind an article a thing would follow. */
const GOES_ON = wordSet(
  'and or to into from in of is are was were does did has have vs versus with than on at by for if when while because but',
)
const PAUSE = /[,;.?!)\]/]/

/** Every letter is a name but the article, the words of one letter, Roman numerals, units and what is cut off a word. */
function isLetter(tokens: readonly Token[], i: number): boolean {
  const { kind, text = '', raw = '', gap } = tokens[i] ?? {}
  if (kind !== 'word' || text.length !== 1 || romanAt(tokens, i) !== undefined) return false
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  if (gap === "'" || after?.gap === "'" || (before?.kind === 'number' && unitOf(raw) !== undefined)) return false
  const isThing = before?.kind === 'word' && !ENGLISH.has(before.text)
  const isLast = after === undefined || PAUSE.test(after.gap)
  if (text === 'i' || text === 'u') return isThing && isLast
  if (text !== 'a') return true
  if (i === 0) return false
  return isLast || (isThing && GOES_ON.has(after.text)) || (raw === 'A' && styleOf(tokens) === 'plain')
}

/** Words that differ in marks alone are two words: the model's pieces have no marks. */
export function agreeOnAccents(a: Facts, b: Facts): boolean {
  const [left, right] = [spelledBy(a), spelledBy(b)]
  for (const [bare, words] of left) if ((right.get(bare) ?? words) !== words) return false
  return true
}

/** Words without their marks, each with its spellings. */
const spelledBy = fact(({ said }) => {
  const found = new Map<string, string>()
  for (const word of new Set(said.flatMap(({ text }) => text.split(/\s+/)))) {
    const bare = word.normalize('NFD').replace(/\p{M}/gu, '')
    found.set(bare, [...(found.get(bare)?.split(' ') ?? []), word].sort().join(' '))
  }
  return found
})

/** Short names in capitals stand in both, and a pronoun that is a name is no pronoun. */
export const agreeOnShortNames = (a: Facts, b: Facts): boolean =>
  hasCased(a, b) && hasCased(b, a) && !isModified(a, b) && !isModified(b, a)

/** In small letters a longer name is the same (`JSON`, `json`), a shorter one may be a word: `US`, `us`; `RAM`, `ram`. */
function hasCased(a: Facts, b: Facts): boolean {
  const there = spellings(b)
  return cased(a).every(
    name => there.has(name) || (there.has(name.toLowerCase()) && (name.length >= SHORT || styleOf(b.said) !== 'plain')),
  )
}

const CAPITALS = /\p{L}\p{Lu}/u
const CAPITAL = /^\p{Lu}/u

const cased = fact(({ said }) => {
  const saysCase = saysCaseIn(said)
  /** `New York` is told by its longer part, and people write it as they like. */
  const isPart = (i: number): boolean =>
    [said[i - 1], said[i + 1]].some(near => near?.kind === 'word' && near.raw.length >= SHORT && CAPITAL.test(near.raw))
  const isName = (raw: string, i: number): boolean => CAPITALS.test(raw) || (raw.length > 1 && !isPart(i))
  return said
    .filter(({ raw }, i) => isName(raw, i) && romanAt(said, i) === undefined && saysCase(i))
    .map(({ raw }) => raw)
})

const spellings = fact(({ said }) => {
  const found = new Set<string>()
  for (const { kind, text, raw } of said)
    for (const one of kind === 'quoted' ? raw.slice(1, -1).split(/\s+/) : [raw, text])
      found.add(one).add(one.toLowerCase())
  return found
})

/** Verbs that a pronoun follows: `give us examples`. */
const GIVING = wordSet('give tell show let help teach send make allow bring ask get')

/** `us visa` beside `visa`: the one word more is no pronoun, for it says which thing the next word means. */
function isModified({ said: long }: Facts, { said: short }: Facts): boolean {
  if (long.length !== short.length + 1) return false
  const at = long.findIndex(({ text }, i) => text !== short[i]?.text)
  const [before, name, thing] = [long[at - 1], long[at], long[at + 1]]
  if (!name || thing?.kind !== 'word' || !NAMED.has(name.text)) return false
  if (GIVING.has(before?.text ?? '') || ENGLISH.has(thing.text)) return false
  return short.every(({ text }, i) => i < at || text === long[i + 1]?.text)
}
