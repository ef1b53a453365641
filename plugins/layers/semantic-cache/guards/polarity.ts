import { type Analysis, fact, stems, words } from '../analysis.ts'
import { areOpposed } from '../words/antonyms.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'

const NEGATORS = new Set(
  'not non no never without none nobody nothing neither nor except excluding unless unable fail fails failed failing refuse refuses avoid avoids avoiding prevent prevents preventing ignore ignoring skip skipping lack lacks lacking missing exclude excludes hardly barely instead anti'.split(
    ' ',
  ),
)

/** An odd negation turns the answer round; so does an opposite word. */
export const polarity: Guard = (a, b) => {
  const [left, right] = [negations(a), negations(b)]
  if (left % 2 !== right % 2 || left > 0 !== right > 0) return 'negation'
  if (ends(a, b) || ends(b, a) || areSwapped(a, b)) return 'negation'
  return areOpposed(beside(a, b), beside(b, a)) ? 'opposites' : undefined
}

/** `in one but not in two`, `in two but not in one`: each lacks what the other has. */
function areSwapped(a: Analysis, b: Analysis): boolean {
  const [mine, theirs] = [lacked(a), lacked(b)]
  return (
    mine !== undefined &&
    theirs !== undefined &&
    mine !== theirs &&
    words(a).includes(theirs) &&
    words(b).includes(mine)
  )
}

const SMALL = new Set('of in to be any for at on with using use have do from the a an'.split(' '))
/** What there is not: the first word behind the negation that says something. */
const lacked = fact(analysis => {
  const text = words(analysis)
  const at = text.findIndex((word, i) => NEGATORS.has(word) || excludes(text, i))
  return at === -1 ? undefined : text.slice(at + 1).find(word => !SMALL.has(word))
})

const STOPS = new Set('stop stopped stops quit'.split(' '))
const ENDED = new Set('stop quit avoid prevent end ceas give kick break'.split(' '))
/** `why did I stop getting mail`, `why do I get mail`. */
function ends(a: Analysis, b: Analysis): boolean {
  const stopped = ended(a)
  return stopped.length > 0 && stopped.some(one => stems(b).has(one)) && !b.tokens.some(({ stem }) => ENDED.has(stem))
}

/** What is not done any more. */
const ended = fact(({ tokens }) => {
  const found: string[] = []
  for (const [i, { text, stem }] of tokens.entries())
    if (text.endsWith('ing') && STOPS.has(tokens[i - 1]?.text ?? '')) found.push(stem)
  return found
})

const negations = fact(analysis => {
  const text = words(analysis)
  return text.filter((word, i) => NEGATORS.has(word) || excludes(text, i)).length
})

const BUT = new Set(
  'anything nothing everything something everyone anyone everybody anybody all none nobody any'.split(' '),
)
const SIDES = /^(?:reason|argument|proof|evidence|case|vote|claim|point)s?$/
const LACKED = new Set(
  'gluten sugar nut dairy lactose fat alcohol meat grain caffeine salt oil egg soy wheat carb smoke drug debt pain stress fragrance cruelty'.split(
    ' ',
  ),
)
/** `anything but pizza`, `other than bats`, `far from true`, `gluten free`, `reasons against`. */
function excludes(text: readonly string[], i: number): boolean {
  const [before = '', word, after] = [text[i - 1], text[i], text[i + 1]]
  if (word === 'but') return BUT.has(before)
  if (word === 'other') return after === 'than'
  if (word === 'far') return after === 'from' && before !== 'how'
  if (word === 'free') return LACKED.has(before)
  return word === 'against' && text.some(one => SIDES.test(one))
}

/** What one side has and the other lacks. */
const beside = (a: Analysis, b: Analysis): string[] => {
  const there = stems(b)
  return plain(a).filter(one => !there.has(one))
}

/** Content and those function words that have an opposite. */
const plain = fact(({ tokens }) => {
  const found: string[] = []
  for (const { kind, text, stem } of tokens)
    if (kind === 'word' && (!FUNCTION_WORDS.has(text) || TURNING.has(text))) found.push(stem)
  return found
})
const TURNING = new Set(
  'on off up down in into out over under before after more most within without up down above below get'.split(' '),
)
