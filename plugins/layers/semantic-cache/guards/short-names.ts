import { type Analysis, fact } from '../analysis.ts'
import { leftOut } from '../features.ts'
import { isLetterOf, isNamed } from '../letters.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { NAMED, SHORT_WORDS } from '../words/short-words.ts'
import { type Guard, isContentWord } from './guard.ts'

/** `usb a` is not `usb c`, nor `vitamin a deficiency` a deficiency of vitamins: a letter that is a name counts. */
export const letters: Guard = (a, b) => (lettersOf(a) === lettersOf(b) ? undefined : 'letter')

const lettersOf = fact(({ tokens }) =>
  tokens
    .filter((_, i) => isLetterOf(tokens, i))
    .map(({ text }) => text)
    .sort()
    .join(' '),
)

/** Names have fewer letters than this where they are short. */
const SHORT = 4

/** `us visa` beside `visa`, `hr department` beside `department`: a short name that only one side has. */
export const shortNames: Guard = (a, b) => {
  if (namedOf(a) !== namedOf(b) || grows(a, b) || grows(b, a)) return 'short_name'
  const [mine, theirs] = leftOut(a, b)
  return hasShort(a, mine) || hasShort(b, theirs) ? 'short_name' : undefined
}

/** Pronouns that are names by their place or by their capitals. */
const namedOf = fact(({ tokens }) =>
  tokens
    .filter((_, i) => isNamed(tokens, i))
    .map(({ text }) => text)
    .sort()
    .join(' '),
)

const hasShort = ({ tokens }: Analysis, alone: ReadonlySet<string>): boolean =>
  tokens.some(
    one =>
      isContentWord(one) && one.text.length > 1 && one.text.length < SHORT && !isPlain(one.text) && alone.has(one.stem),
  )

const isPlain = (text: string): boolean =>
  SHORT_WORDS.has(text) ||
  (text.endsWith('s') && (SHORT_WORDS.has(text.slice(0, -1)) || FUNCTION_WORDS.has(text.slice(0, -1))))

/** The one prompt is the other and such a word: then that word is all they differ in. */
function grows({ tokens: long }: Analysis, { tokens: short }: Analysis): boolean {
  if (long.length !== short.length + 1) return false
  let at = 0
  while (at < short.length && long[at]?.stem === short[at]?.stem) at++
  const more = long[at]
  return (
    more?.kind === 'word' &&
    NAMED.has(more.text) &&
    short.slice(at).every(({ stem }, i) => stem === long[at + 1 + i]?.stem)
  )
}
