import QuickLRU from 'quick-lru'

/** How many of the latest requests are remembered, at least. */
const REMEMBERED = 5000

/** Recent requests, for the operator: the cache key of each, and the request that stored each entry. */
export class RecentRequests {
  readonly counts = { hits: 0, misses: 0, stored: 0 }
  readonly #keys = new QuickLRU<string, string>({ maxSize: REMEMBERED })
  readonly #writers = new QuickLRU<string, string>({ maxSize: REMEMBERED })

  count(what: keyof RecentRequests['counts']): void {
    this.counts[what]++
  }

  recordKey(id: string, key: string): void {
    this.#keys.set(id, key)
  }

  recordStored(id: string, key: string): void {
    this.counts.stored++
    if (!this.#keys.has(id)) this.#keys.set(id, key)
    this.#writers.set(key, id)
  }

  keyOf(id: string): string | undefined {
    return this.#keys.get(id)
  }

  /** The request that stored the entry under this one's key, if it was another request. */
  origin(id: string): string | undefined {
    const key = this.#keys.get(id)
    const writer = key === undefined ? undefined : this.#writers.get(key)
    return writer === id ? undefined : writer
  }
}
