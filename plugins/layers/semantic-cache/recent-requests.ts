import QuickLRU from 'quick-lru'

/** How many of the latest requests are remembered, at least. */
const REMEMBERED = 5000

/** The entry that a request was served or stored, and the canonical key of its own prompt. */
export interface EntryUse {
  readonly partition: string
  readonly canonical: string
  readonly requested: string
  /** The entry's prompt has the same canonical key in other words. */
  readonly reworded?: boolean
}

/** Recent requests, for the operator: the entry that each was served or stored. */
export class RecentRequests {
  readonly counts = { hits: 0, misses: 0, stored: 0 }
  readonly #reasons = new Map<string, number>()
  readonly #uses = new QuickLRU<string, EntryUse>({ maxSize: REMEMBERED })

  count(what: keyof RecentRequests['counts']): void {
    this.counts[what]++
  }

  /** Counts why a request was skipped or a candidate refused: `skipped_volatile`, `refused_numbers`. */
  countReason(reason: string): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
  }

  get reasons(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  served(id: string, place: EntryUse): void {
    this.#uses.set(id, place)
  }

  stored(id: string, place: EntryUse): void {
    this.counts.stored++
    this.#uses.set(id, place)
  }

  useOf(id: string): EntryUse | undefined {
    return this.#uses.get(id)
  }

  /** Requests that were served, or stored, an entry; without arguments, all requests. */
  idsAt(partition?: string, canonical?: string): string[] {
    return this.#ids(use => partition === undefined || (use.partition === partition && use.canonical === canonical))
  }

  /** Requests for one of two prompts that were served the answer to the other. */
  idsBetween(one: string, other: string): string[] {
    return this.#ids(
      ({ requested, canonical }) =>
        (requested === one && canonical === other) || (requested === other && canonical === one),
    )
  }

  #ids(fits: (use: EntryUse, id: string) => boolean): string[] {
    return [...this.#uses].flatMap(([id, use]) => (fits(use, id) ? [id] : []))
  }

  /** Removes requests whose entries are gone. */
  drop(ids: readonly string[]): void {
    for (const id of ids) this.#uses.delete(id)
  }

  /**
   * Other requests with the same mistake: for a wrong answer all that were served it, for a wrong match those with the
   * same prompt.
   */
  copies(id: string, one: EntryUse | undefined = this.#uses.get(id)): string[] {
    if (!one) return []
    return this.#ids(
      ({ partition, canonical, requested }, other) =>
        other !== id &&
        partition === one.partition &&
        canonical === one.canonical &&
        (one.requested === one.canonical || requested === one.requested),
    )
  }
}
