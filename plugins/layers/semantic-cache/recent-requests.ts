import QuickLRU from 'quick-lru'

/** How many of the latest requests are remembered, at least. */
const REMEMBERED = 5000

/** The entry that a request was served or stored, and the canonical key of what it asked itself. */
export interface Place {
  readonly partition: string
  readonly canonical: string
  readonly asked: string
  /** It was served the answer to another prompt of the same canonical key. */
  readonly reworded?: boolean
}

/** What happened lately, for the operator: which entry each request met. */
export class RecentRequests {
  readonly counts = { hits: 0, misses: 0, stored: 0 }
  readonly #reasons = new Map<string, number>()
  readonly #places = new QuickLRU<string, Place>({ maxSize: REMEMBERED })

  count(what: keyof RecentRequests['counts']): void {
    this.counts[what]++
  }

  /** Why a request was left to others, or a candidate to a miss: `skipped_volatile`, `refused_numbers`. */
  because(reason: string): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
  }

  get reasons(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  served(id: string, place: Place): void {
    this.#places.set(id, place)
  }

  stored(id: string, place: Place): void {
    this.counts.stored++
    this.#places.set(id, place)
  }

  placeOf(id: string): Place | undefined {
    return this.#places.get(id)
  }

  /** Who was served, or stored, what stood in a place; without one, everybody. */
  idsAt(partition?: string, canonical?: string): string[] {
    return this.#ids(
      place => partition === undefined || (place.partition === partition && place.canonical === canonical),
    )
  }

  /** Who asked for one prompt and was served the answer to the other. */
  idsBetween(one: string, other: string): string[] {
    return this.#ids(
      ({ asked, canonical }) => (asked === one && canonical === other) || (asked === other && canonical === one),
    )
  }

  #ids(fits: (place: Place) => boolean): string[] {
    return [...this.#places].flatMap(([id, place]) => (fits(place) ? [id] : []))
  }

  /** Of these nothing is left that could be forgotten. */
  drop(ids: readonly string[]): void {
    for (const id of ids) this.#places.delete(id)
  }

  /**
   * Whom else the same mistake reached: of a wrong answer all who were served it, of a wrong likeness those who asked
   * the same.
   */
  copies(id: string, one: Place | undefined = this.#places.get(id)): string[] {
    if (!one) return []
    const others = [...this.#places].filter(
      ([other, { partition, canonical, asked }]) =>
        other !== id &&
        partition === one.partition &&
        canonical === one.canonical &&
        (one.asked === one.canonical || asked === one.asked),
    )
    return others.map(([other]) => other)
  }
}
