import { type Analysis, content, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { areSynonyms } from '../words/synonyms.ts'
import type { Guard } from './guard.ts'

const OPENS = /^(?:what|who) (?:is|are|was|were)$/
/** What an explanation may be asked for with. */
const EMPTY = new Set(
  'meaning definit concept term word exact mean idea explain describ defin explanation overview summary actual process sort kind type work'.split(
    ' ',
  ),
)

/**
 * `what is insurance` is not `what is car insurance`, and `what was the plague` not `what caused the plague`: where a
 * thing is all that is asked about, each word counts.
 */
export const definition: Guard = (a, b) => {
  const [mine, theirs] = [isDefinition(a), isDefinition(b)]
  if (!mine && !theirs) return undefined
  const [left, right] = [things(a), things(b)]
  if (mine && theirs) return lacks(left, right) || lacks(right, left) ? 'definition' : undefined
  const asksMore = (mine && isBare(a) && lacks(right, left)) || (theirs && isBare(b) && lacks(left, right))
  return asksMore ? 'definition' : undefined
}

const things = fact(analysis => content(analysis).filter(({ stem }) => !EMPTY.has(stem)))

const isDefinition = fact(analysis => {
  const [first, second, ...rest] = analysis.tokens
  if (rest.length > 4 || !OPENS.test(`${first?.text} ${second?.text}`)) return false
  const { length } = things(analysis)
  return length > 0 && length <= 2
})

/** No `of`, no `in`: a thing and nothing of it. */
const isBare = ({ tokens }: Analysis): boolean =>
  tokens.slice(2).every(({ kind, text }) => kind !== 'word' || !FUNCTION_WORDS.has(text))

const lacks = (a: readonly Token[], b: readonly Token[]): boolean =>
  a.some(one => !b.some(other => other.stem === one.stem || areSynonyms(other.stem, one.stem)))
