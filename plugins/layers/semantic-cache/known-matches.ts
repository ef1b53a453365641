import QuickLRU from 'quick-lru'
import type { Category } from './decide.ts'

/** How many are remembered, at least. */
const REMEMBERED = 10_000

/** What a question was found to be the same as, and how surely. */
export interface KnownMatch {
  /** Canonical key of the entry that served it. */
  readonly canonical: string
  /** Cosine. */
  readonly similarity: number
  readonly category: Category
  /** The verifier's word; the bar may have risen since. */
  readonly probability: number
}

/**
 * The canonical keys of questions that were answered by a likeness. Such a question leaves no entry of its own, and its
 * next form (in capitals, with a `please`) may lie a little further from the entry than the likeness suffers.
 */
export class KnownMatches {
  readonly #known = new QuickLRU<string, KnownMatch>({ maxSize: REMEMBERED })

  set(partition: string, asked: string, alias: KnownMatch): void {
    this.#known.set(keyOf(partition, asked), alias)
  }

  get(partition: string, asked: string): KnownMatch | undefined {
    return this.#known.get(keyOf(partition, asked))
  }

  clear(): void {
    this.#known.clear()
  }
}

const keyOf = (partition: string, asked: string): string => `${partition}:${asked}`
