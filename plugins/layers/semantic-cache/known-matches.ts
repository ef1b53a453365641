import QuickLRU from 'quick-lru'

/** Least number of matches remembered. */
const REMEMBERED = 10_000

/** The entry that a question was found to match, and how surely. */
export interface KnownMatch {
  /** Canonical key of the entry that served it. */
  readonly canonical: string
  /** Cosine. */
  readonly similarity: number
  /** The judge's; the bar may have risen since. */
  readonly probability: number
}

/**
 * Canonical keys of questions that were answered by similarity. Such a question has no entry of its own. Its next form
 * (in capitals, with a `please`) may lie a little too far from the entry that served it.
 */
export class KnownMatches {
  readonly #known = new QuickLRU<string, KnownMatch>({ maxSize: REMEMBERED })

  set(partition: string, asked: string, match: KnownMatch): void {
    this.#known.set(keyOf(partition, asked), match)
  }

  get(partition: string, asked: string): KnownMatch | undefined {
    return this.#known.get(keyOf(partition, asked))
  }

  /** Leaves the order of use as it is. */
  peek(partition: string, asked: string): KnownMatch | undefined {
    return this.#known.peek(keyOf(partition, asked))
  }

  clear(): void {
    this.#known.clear()
  }
}

const keyOf = (partition: string, asked: string): string => `${partition}:${asked}`
