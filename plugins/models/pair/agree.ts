import { type Facts, factsOf } from './facts.ts'
import { ENGLISH } from './function-words.ts'
import { agreeOnCode } from './rules/code.ts'
import { agreeOnNumbers, agreeOnUnits } from './rules/numbers.ts'

/** Share of content words that two answers must have in common to say the same. */
const LEAST = 0.4
/** Answers up to this many tokens are facts: one number or one `not` makes a different fact. */
const FACT = 40
/** No more characters of an answer are looked at. */
const LONGEST = 4000
/** Inflections differ behind these letters. */
const ROOT = 6

const NEGATIONS = new Set(['not', 'no', 'never', 'neither', 'nor', 'without'])

/** Do two answers say the same? A model's answers to one question share many words, but never all. */
export function agree(one: string, other: string): boolean {
  if (one.trim() === other.trim()) return true
  const [a, b] = [factsOf(one.slice(0, LONGEST)), factsOf(other.slice(0, LONGEST))]
  const short = Math.min(a.tokens.length, b.tokens.length) <= FACT
  if (short && !(agreeOnNumbers(a, b) && agreeOnUnits(a, b) && agreeOnCode(a, b) && isNegated(a) === isNegated(b)))
    return false
  const [left, right] = [content(a), content(b)]
  let shared = 0
  for (const word of left) if (right.has(word)) shared++
  return left.size + right.size > 0 && (2 * shared) / (left.size + right.size) >= LEAST
}

const isNegated = ({ tokens }: Facts): boolean => tokens.some(({ text }) => NEGATIONS.has(text))

const content = ({ tokens }: Facts): ReadonlySet<string> =>
  new Set(tokens.filter(({ text }) => !ENGLISH.has(text)).map(({ text }) => text.slice(0, ROOT)))
