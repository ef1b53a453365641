import { Analysis, content } from './analysis.ts'
import type { Bars, Category } from './decide.ts'
import { identifiers } from './guards/identifiers.ts'
import { numbers } from './guards/numbers.ts'
import { polarity } from './guards/polarity.ts'
import { tokensOf } from './tokens.ts'

/** Samples of a category that are remembered. */
const REMEMBERED = 2000
/** A bound from fewer samples would close a category without reason. */
const ENOUGH = 30
/** 95 %, one-sided. */
const Z = 1.645

interface Sample {
  readonly probability: number
  readonly agrees: boolean
}

/**
 * Compares new answers with the cached ones and estimates the error of each category. Where the upper confidence bound
 * of the error exceeds the limit, the bar rises until it does not.
 */
export class ShadowChecks {
  readonly #samples: Record<Category, Sample[]> = { code: [], text: [] }
  readonly #base: Bars
  readonly #maxError: number
  #bars: Bars

  constructor(bars: Bars, maxError: number) {
    this.#base = bars
    this.#bars = bars
    this.#maxError = maxError
  }

  /** The current bars. */
  get bars(): Bars {
    return this.#bars
  }

  record(category: Category, probability: number, agrees: boolean): void {
    const samples = this.#samples[category]
    samples.push({ probability, agrees })
    if (samples.length > REMEMBERED) samples.shift()
    this.#bars = { ...this.#bars, [category]: this.#bar(category) }
  }

  /** The lowest bar above which the samples stay within the error limit. A category without a mistake stays open. */
  #bar(category: Category): number {
    const base = this.#base[category]
    const above = this.#samples[category].filter(({ probability }) => probability >= base)
    if (above.length < ENOUGH) return base
    const steps = [base, ...above.filter(({ agrees }) => !agrees).map(({ probability }) => probability + 1e-6)]
    for (const bar of steps.sort((a, b) => a - b)) {
      const some = above.filter(({ probability }) => probability >= bar)
      const wrong = some.filter(({ agrees }) => !agrees).length
      if (wrong === 0 || upperBound(wrong, some.length) <= this.#maxError) return bar
    }
    return Number.POSITIVE_INFINITY
  }
}

/** Wilson's upper bound of a share. */
export function upperBound(part: number, whole: number): number {
  if (whole === 0) return 1
  const share = part / whole
  const z2 = Z * Z
  const middle = share + z2 / (2 * whole)
  const spread = Z * Math.sqrt((share * (1 - share)) / whole + z2 / (4 * whole * whole))
  return (middle + spread) / (1 + z2 / whole)
}

/** Share of content words that two answers must have in common to say the same. */
const AGREES = 0.4

/** Answers up to this many tokens are facts: one number or one `not` makes a different fact. */
const FACT = 40

/** Do two answers say the same? A model's answers to one question share many words, but never all. */
export function answersAgree(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true
  const [here, there] = [new Analysis(tokensOf(a.slice(0, 4000))), new Analysis(tokensOf(b.slice(0, 4000)))]
  const short = Math.min(here.tokens.length, there.tokens.length) <= FACT
  if (short && (numbers(here, there) ?? polarity(here, there) ?? identifiers(here, there))) return false
  const left = new Set(content(here).map(({ stem }) => stem))
  const right = new Set(content(there).map(({ stem }) => stem))
  if (left.size + right.size === 0) return false
  let shared = 0
  for (const one of left) if (right.has(one)) shared++
  return (2 * shared) / (left.size + right.size) >= AGREES
}
