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
  /**
   * Only stores that several gateways share have it: hands over every entry whose key begins with `prefix`, those that
   * are there first, then each as it is written, until the signal aborts. `value` is absent for a deleted one; the
   * bare prefix without a value means that the store was cleared. Entries of more than a megabyte may be left out.
   */
  follow?(prefix: string, seen: (key: string, value: Uint8Array | undefined) => void, signal: AbortSignal): void
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
