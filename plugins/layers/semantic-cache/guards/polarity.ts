import { once, type Reading, stems } from '../reading.ts'
import { areOpposed } from '../words/antonyms.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'

const NEGATORS = new Set(
  'not non no never without none nobody nothing neither nor except excluding unless unable fail fails failed failing refuse refuses avoid avoids avoiding prevent prevents preventing ignore ignoring skip skipping lack lacks lacking missing exclude excludes hardly barely instead'.split(
    ' ',
  ),
)

/** An odd negation turns the answer round; so does an opposite word. */
export const polarity: Guard = (a, b) => {
  const [left, right] = [negations(a), negations(b)]
  if (left % 2 !== right % 2 || left > 0 !== right > 0) return 'negation'
  return areOpposed(beside(a, b), beside(b, a)) ? 'opposites' : undefined
}

const negations = once(({ tokens }) => {
  let found = 0
  for (const { kind, text } of tokens) if (kind === 'word' && NEGATORS.has(text)) found++
  return found
})

/** What one side has and the other lacks. */
const beside = (a: Reading, b: Reading): string[] => {
  const there = stems(b)
  return plain(a).filter(one => !there.has(one))
}

/** Content and those function words that have an opposite. */
const plain = once(({ tokens }) => {
  const found: string[] = []
  for (const { kind, text, stem } of tokens)
    if (kind === 'word' && (!FUNCTION_WORDS.has(text) || TURNING.has(text))) found.push(stem)
  return found
})
const TURNING = new Set(
  'on off up down in into out over under before after more most within without up down above below get'.split(' '),
)
