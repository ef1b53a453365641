import { defineStore, type Store, type StoreEntry, type StoreLife } from 'deflector'
import QuickLRU from 'quick-lru'
import { z } from 'zod'

/** Bytes of an entry besides its key and value: its places in two maps, its object, its buffer's header. */
const OVERHEAD = 256

interface Bounds {
  readonly max_entries: number
  readonly max_bytes: number
}

interface MemoryEntry {
  readonly value: Uint8Array
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly freshUntil: number
  readonly keptUntil: number
}

/** Shrinking frees this fraction of the bounds, as a power of two: 1/128. */
const SPARE = 7

/** Entries by key; the least recently used are removed first. Counts entries and bytes, as the LRU may hold twice its size. */
class BoundedEntries {
  readonly #entries: QuickLRU<string, MemoryEntry>
  #bounds: Bounds
  #count = 0
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.#entries = new QuickLRU({ maxSize: bounds.max_entries, onEviction: (_, entry) => this.#forget(entry) })
  }

  setBounds(bounds: Bounds): void {
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
    // A copy, because a view keeps the whole buffer in memory and changes with it.
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

  get bytes(): number {
    return this.#bytes
  }

  #forget({ bytes }: MemoryEntry): void {
    this.#count--
    this.#bytes -= bytes
  }

  /** Removes more than necessary, because each search for the oldest entry steps over the places of all removed ones. */
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
      .describe('Most entries kept; the least recently used are removed first.'),
    max_bytes: z
      .number()
      .int()
      .positive()
      .default(256 << 20)
      .describe('Most bytes kept, including keys. A larger single entry is not kept.'),
  }),
  apply({ name, clock, keep, onReady }, options): Store {
    const entries = keep(`memory:${name}`, () => new BoundedEntries(options))
    // Once this generation serves: a generation that fails to start must not change the entries.
    onReady(() => entries.setBounds(options))
    return {
      backend: 'memory',
      get: async key => entries.get(key, clock.now()),
      set: async (key, value, life) => entries.set(key, value, clock.now(), life),
      delete: async key => entries.delete(key),
      clear: async () => entries.clear(),
      size: async () => entries.size,
      bytes: async () => entries.bytes,
    }
  },
})
