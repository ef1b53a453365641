/** Values are bytes: what is stored is what is served. */
export interface Store {
  /** What keeps the entries, for traces: `memory`, `redis`. */
  readonly backend?: string
  /** `fresh` is false for an entry past its time to live that is still kept for `recover`. */
  get(key: string): Promise<StoreEntry | undefined>
  /** Throws only when the store is broken; a full one evicts. The bytes are the store's from then on. */
  set(key: string, value: Uint8Array, life: StoreLife): Promise<void>
  delete(key: string): Promise<boolean>
  /** Deletes every entry. Absent where the store cannot tell its own entries from others'. */
  clear?(): Promise<void>
  /** How many entries there are; may take a while, and be off by those that come and go meanwhile. */
  size?(): Promise<number>
  /** Bytes of all entries and their keys; absent where counting them would take long. */
  bytes?(): Promise<number>
  /**
   * Only stores that several gateways share have it: hands over every entry whose key begins with `prefix`, those that
   * are there first, then each as it is written, until the signal aborts. `value` is absent for a deleted one; the
   * bare prefix without a value means that the store was cleared. Entries of more than a megabyte may be left out.
   */
  follow?(prefix: string, seen: (key: string, value: Uint8Array | undefined) => void, signal: AbortSignal): void
  /** Only stores that several gateways share have it: numbers that they count together, apart from the entries. */
  readonly counters?: Counters
}

/** Whole numbers of 0 or more, each under a key. */
export interface Counters {
  /** All changes in one step, or none where one would pass its limit. Throws when the store is out of reach. */
  change(changes: readonly CounterChange[]): Promise<CountersChanged>
}

export interface CounterChange {
  readonly key: string
  /** A whole number; below 0 it takes back, and ends at 0. */
  readonly by: number
  /** The largest number that this change may lead to. */
  readonly limit?: number | undefined
  /** The counter is forgotten some time after this, milliseconds since 1970. */
  readonly endsAt: number
}

export interface CountersChanged {
  /** False: one change would have passed its limit, and none was made. */
  readonly made: boolean
  /** The number of each changed counter, in the order of the changes: after them, or as it stays. */
  readonly counts: readonly number[]
}

export interface StoreEntry {
  readonly value: Uint8Array
  readonly fresh: boolean
}

export interface StoreLife {
  readonly ttlSecs: number
  /** How long after `ttlSecs` the entry may still serve as a stale answer. */
  readonly staleSecs: number
}
