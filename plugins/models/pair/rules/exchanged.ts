import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import { wordSet } from '../word-set.ts'

/** With only these between them, two things are alike on both sides: `cats and dogs`. */
const EVEN = wordSet('and or nor with vs versus between')
/** Which one of several is meant: `the dog` may be `my dog` when it comes first. */
const POINTING = wordSet('a an the my your his her its our their this that these those some')
/** Verbs that follow whichever thing comes first. */
const FOLLOWS = new Map(Object.entries({ does: 'do', has: 'have', are: 'is', were: 'was' }))

/** `do foxes fear dogs`, `do dogs fear foxes`: two things have changed places, and every other word stands where it stood. */
export function isExchanged(a: Facts, b: Facts): boolean {
  const [one, other] = [bareWords(a), bareWords(b)]
  if (one.length !== other.length || inOrder(one) !== inOrder(other)) return false
  const from = one.findIndex((word, i) => word !== other[i])
  const to = one.findLastIndex((word, i) => word !== other[i]) + 1
  const [here, there] = [one.slice(from, to), other.slice(from, to)]
  // What comes last begins the other one.
  if (!isThing(here[0]) || !isThing(there[0])) return false
  for (let last = 2; last < here.length; last++)
    for (let first = 1; here[last] === there[0] && first < last; first++) {
      const between = here.slice(first, last)
      const turned = [...here.slice(last), ...between, ...here.slice(0, first)]
      if (turned.every((word, i) => word === there[i]) && !between.every(word => EVEN.has(word))) return true
    }
  return false
}

/** Without what points at a thing, and in one form where the number of a thing makes two. */
export const bareWords = fact(({ said }): readonly string[] =>
  said.flatMap(({ kind, text }) =>
    kind === 'word' && POINTING.has(text) ? [] : [FOLLOWS.get(text) ?? singular(text)],
  ),
)

const inOrder = (some: readonly string[]): string => some.toSorted().join(' ')

/** `high CPU on the database` begins with its own word. A clause that may stand on either side, `before painting`, does not. */
const isThing = (first: string | undefined): boolean => first !== undefined && !ENGLISH.has(first)

/** `versus` and `class` are none. */
export const singular = (word: string): string => (word.length > 3 ? word.replace(/(?<![su])s$/, '') : word)
