import type { Token } from '../tokens.ts'
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
  if (negations(a) % 2 !== negations(b) % 2 || negations(a) > 0 !== negations(b) > 0) return 'negation'
  const left = new Set(a.map(({ stem }) => stem))
  const right = new Set(b.map(({ stem }) => stem))
  const onlyLeft = plain(a).filter(one => !right.has(one))
  const onlyRight = plain(b).filter(one => !left.has(one))
  return areOpposed(onlyLeft, onlyRight) ? 'opposites' : undefined
}

const negations = (tokens: readonly Token[]): number =>
  tokens.filter(({ kind, text }) => kind === 'word' && NEGATORS.has(text)).length

/** Content and those function words that have an opposite. */
const plain = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, text, stem }) =>
    kind === 'word' && (!FUNCTION_WORDS.has(text) || TURNING.has(text)) ? [stem] : [],
  )
const TURNING = new Set(
  'on off up down in into out over under before after more most within without up down above below get'.split(' '),
)
