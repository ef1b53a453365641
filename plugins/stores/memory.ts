import { defineStore, type Store, type StoreEntry, type StoreLife } from 'deflector'
import QuickLRU from 'quick-lru'
import { z } from 'zod'

/** What an entry takes beside its key and value: its places in two maps, its own object, its buffer's head. */
const OVERHEAD = 256

interface Bounds {
  readonly max_entries: number
  readonly max_bytes: number
}

interface Kept {
  readonly value: Uint8Array
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly freshUntil: number
  readonly keptUntil: number
}

/** What goes at once is this power of two's part of the bounds. */
const SPARE = 7

/** Entries by key, the least recently used going first. The LRU may hold twice its size and knows no bytes: both are counted here. */
class BoundedEntries {
  readonly #entries: QuickLRU<string, Kept>
  #bounds: Bounds
  #count = 0
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.#entries = new QuickLRU({ maxSize: bounds.max_entries, onEviction: (_, entry) => this.#forget(entry) })
  }

  rebound(bounds: Bounds): void {
    if (bounds.max_entries !== this.#bounds.max_entries) this.#entries.resize(bounds.max_entries)
    this.#bounds = bounds
    this.#shrink()
  }

  get(key: string, now: number): StoreEntry | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (now < entry.keptUntil) return { value: entry.value, fresh: now < entry.freshUntil }
    this.delete(key)
    return undefined
  }

  set(key: string, value: Uint8Array, now: number, { ttlSecs, staleSecs }: StoreLife): void {
    this.delete(key)
    const bytes = Buffer.byteLength(key) + value.byteLength + OVERHEAD
    if (bytes > this.#bounds.max_bytes) return
    const freshUntil = now + ttlSecs * 1000
    // A view would hold on to the whole buffer behind it, and change with it.
    const own = value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value)
    const entry = { value: own, bytes, freshUntil, keptUntil: freshUntil + staleSecs * 1000 }
    this.#count++
    this.#bytes += bytes
    this.#entries.set(key, entry)
    this.#shrink()
  }

  delete(key: string): boolean {
    const entry = this.#entries.peek(key)
    if (!entry) return false
    this.#forget(entry)
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#count = 0
    this.#bytes = 0
  }

  get size(): number {
    return this.#count
  }

  #forget({ bytes }: Kept): void {
    this.#count--
    this.#bytes -= bytes
  }

  /** A little more than it must: whoever looks for the oldest steps over the empty places of all that went before. */
  #shrink(): void {
    const { max_entries, max_bytes } = this.#bounds
    if (this.#count <= max_entries && this.#bytes <= max_bytes) return
    const [entries, bytes] = [max_entries - (max_entries >> SPARE), max_bytes - Math.floor(max_bytes / 2 ** SPARE)]
    for (const [key] of this.#entries.entriesAscending()) {
      if (this.#count <= entries && this.#bytes <= bytes) return
      this.delete(key)
    }
  }
}

/** Entries in this process's memory. They outlive a reload, not the process. */
export default defineStore({
  name: 'memory',
  summary: 'keeps entries in memory, bounded by count and bytes',
  options: z.strictObject({
    max_entries: z
      .number()
      .int()
      .positive()
      .default(10_000)
      .describe('Entries kept at most; the least recently used go first.'),
    max_bytes: z
      .number()
      .int()
      .positive()
      .default(256 << 20)
      .describe('Bytes kept at most, keys included. A single larger entry is not kept.'),
  }),
  apply({ name, clock, keep, onReady }, options): Store {
    const entries = keep(`memory:${name}`, () => new BoundedEntries(options))
    // Not before this generation serves: one that fails to start must leave the map as it was.
    onReady(() => entries.rebound(options))
    return {
      backend: 'memory',
      get: async key => entries.get(key, clock.now()),
      set: async (key, value, life) => entries.set(key, value, clock.now(), life),
      delete: async key => entries.delete(key),
      clear: async () => entries.clear(),
      size: async () => entries.size,
    }
  },
})
