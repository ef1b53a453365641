import QuickLRU from 'quick-lru'
import { Analysis, fact } from './analysis.ts'
import { features } from './features.ts'
import { refusal } from './guards/table.ts'
import { withoutManners } from './politeness.ts'
import { tokensOf } from './tokens.ts'
import { withoutTypos } from './typos.ts'
import type { Verifier } from './verifier.ts'
import { nameOf } from './words/names.ts'

/** An entry whose prompt is near enough to be looked at. */
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
  /** The verifier's word on the hit. */
  readonly probability: number
  readonly category: Category
  /** Best first; those behind a hit were not looked at. */
  readonly refused: readonly Refused<C>[]
}

/** Kinds of prompts whose mistakes cost differently. */
export type Category = 'code' | 'text'

/** The least probability of one answer, by category. */
export type Bars = Readonly<Record<Category, number>>

/** What guards and verifier compare: without greetings and thanks. */
export const comparable = (text: string): Analysis => new Analysis(withoutManners(tokensOf(text)))

/** Texts up to this many characters are kept as they were read, so many of them: about 10 MB at most. */
const SHORT = 300
const readings = new QuickLRU<string, Analysis>({ maxSize: 500 })

/** The same entries are near to many prompts: they are read once. */
function reread(text: string): Analysis {
  if (text.length > SHORT) return comparable(text)
  const known = readings.get(text)
  if (known) return known
  const fresh = comparable(text)
  readings.set(text, fresh)
  return fresh
}

/** Goes through the candidates, best first, and takes the first one that no guard and not the verifier refuses. */
export function decide<C extends Candidate>(
  prompt: Analysis,
  candidates: readonly C[],
  verifier: Verifier,
  bars: Bars,
): Decision<C> {
  const category = categoryOf(prompt)
  const refused: Refused<C>[] = []
  for (const candidate of candidates) {
    const other = reread(candidate.text)
    const verdict = judge(prompt, other, candidate.similarity, verifier)
    if (typeof verdict === 'string') refused.push({ candidate, reason: verdict })
    else if (verdict < bars[category]) refused.push({ candidate, reason: 'verifier' })
    else return { hit: candidate, probability: verdict, category, refused }
  }
  return { hit: undefined, probability: 0, category, refused }
}

/** What a cosine alone would do: the first candidate, whatever it says. There to be measured beside `decide`. */
export const nearest = <C extends Candidate>(prompt: Analysis, [hit]: readonly C[]): Decision<C> => ({
  hit,
  probability: hit ? 1 : 0,
  category: categoryOf(prompt),
  refused: [],
})

/** A guard's reason against the pair, or the probability that one answer serves both. */
export function judge(prompt: Analysis, candidate: Analysis, similarity: number, verifier: Verifier): string | number {
  const read = withoutTypos(prompt, candidate)
  return refusal(read, candidate) ?? verifier.probability(features(read, candidate, similarity))
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
