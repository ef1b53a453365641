import QuickLRU from 'quick-lru'
import { Analysis, fact } from './analysis.ts'
import { features } from './features.ts'
import { refusal } from './guards/table.ts'
import { withoutPoliteness } from './politeness.ts'
import { tokensOf } from './tokens.ts'
import { withoutTypos } from './typos.ts'
import type { Verifier } from './verifier.ts'
import { nameOf } from './words/names.ts'

/** An entry whose prompt is near enough to be compared. */
export interface Candidate {
  /** Id of the request that stored it. */
  readonly id: string
  readonly text: string
  /** Cosine. */
  readonly similarity: number
}

interface Refused<C extends Candidate> {
  readonly candidate: C
  /** The guard's reason, or `verifier`. */
  readonly reason: string
}

export interface Decision<C extends Candidate> {
  readonly hit: C | undefined
  /** The verifier's probability for the hit. */
  readonly probability: number
  readonly category: Category
  /** Best first; candidates after a hit are not checked. */
  readonly refused: readonly Refused<C>[]
}

/** Kinds of prompts whose mistakes differ in severity. */
export type Category = 'code' | 'text'

/** The least probability of one answer, by category. */
export type Bars = Readonly<Record<Category, number>>

/** The analysis that guards and verifier compare: without greetings and thanks. */
export const comparable = (text: string): Analysis => new Analysis(withoutPoliteness(tokensOf(text)))

/** Analyses of texts up to this many characters are kept, about 10 MB at most. */
const SHORT = 300
const analyses = new QuickLRU<string, Analysis>({ maxSize: 500 })

/** The same entries are near to many prompts, so they are analysed once. */
function analysisOf(text: string): Analysis {
  if (text.length > SHORT) return comparable(text)
  const known = analyses.get(text)
  if (known) return known
  const fresh = comparable(text)
  analyses.set(text, fresh)
  return fresh
}

/** Takes the best candidate that neither a guard nor the verifier refuses. */
export function decide<C extends Candidate>(
  prompt: Analysis,
  candidates: readonly C[],
  verifier: Verifier,
  bars: Bars,
): Decision<C> {
  const category = categoryOf(prompt)
  const refused: Refused<C>[] = []
  for (const candidate of candidates) {
    const other = analysisOf(candidate.text)
    const result = evaluate(prompt, other, candidate.similarity, verifier)
    if (typeof result === 'string') refused.push({ candidate, reason: result })
    else if (result < bars[category]) refused.push({ candidate, reason: 'verifier' })
    else return { hit: candidate, probability: result, category, refused }
  }
  return { hit: undefined, probability: 0, category, refused }
}

/** Takes the first candidate unchecked, as the cosine alone would. Used to measure `decide` against it. */
export const nearest = <C extends Candidate>(prompt: Analysis, [hit]: readonly C[]): Decision<C> => ({
  hit,
  probability: hit ? 1 : 0,
  category: categoryOf(prompt),
  refused: [],
})

/** A guard's reason against the pair, or the probability that one answer serves both. */
export function evaluate(
  prompt: Analysis,
  candidate: Analysis,
  similarity: number,
  verifier: Verifier,
): string | number {
  const corrected = withoutTypos(prompt, candidate)
  return refusal(corrected, candidate) ?? verifier.probability(features(corrected, candidate, similarity))
}

const TECHNICAL = new Set(['programming_language', 'product', 'system', 'environment'])
const SHELL = new Set(
  'file directory folder command script code function class query regex git path variable shell terminal server database api'.split(
    ' ',
  ),
)

export const categoryOf = fact(
  ({ tokens }): Category =>
    tokens.some(
      ({ kind, text, stem }) =>
        kind === 'code' || SHELL.has(stem) || (kind === 'word' && TECHNICAL.has(nameOf(text)?.family ?? '')),
    )
      ? 'code'
      : 'text',
)
