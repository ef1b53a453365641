import QuickLRU from 'quick-lru'

/** What was counted of one key since the gateway began. */
export interface KeyRecord {
  requests: number
  rateLimits: number
  /** Milliseconds since 1970. */
  lastUsed: number | undefined
}

/** Keys that are remembered, twice as many at most. Some providers make new ones, and clients may bring their own. */
const MOST = 5_000

/** Counts by id of a key, see `idOf`: no secret is held. The keys that were used last are remembered. */
export class KeyRecords {
  readonly #records = new QuickLRU<string, KeyRecord>({ maxSize: MOST })

  get(id: string): Readonly<KeyRecord> | undefined {
    return this.#records.peek(id)
  }

  used(id: string, now: number): void {
    const record = this.#of(id)
    record.requests++
    record.lastUsed = now
  }

  limited(id: string): void {
    this.#of(id).rateLimits++
  }

  #of(id: string): KeyRecord {
    const known = this.#records.get(id)
    if (known) return known
    const record: KeyRecord = { requests: 0, rateLimits: 0, lastUsed: undefined }
    this.#records.set(id, record)
    return record
  }
}
