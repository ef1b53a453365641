import { Arena } from './index/arena.ts'
import { PartitionIndex, type Placed, RESCORED } from './index/partition-index.ts'

/** One stored answer, and the keys and vector to find it by. */
export interface Entry {
  /** Id of the request that stored it. */
  readonly id: string
  readonly partition: string
  /** The canonical key of its prompt. */
  readonly canonical: string
  readonly text: string
  /** Absent: found by its canonical key only. */
  readonly vector?: Float32Array
  /** The stored answer; absent where a store keeps it. */
  readonly value?: Uint8Array
  /** Milliseconds since 1970. */
  readonly freshUntil: number
}

export interface NearEntry extends Entry {
  readonly similarity: number
}

export interface Bounds {
  readonly max_entries: number
  readonly max_bytes: number
}

/** Bytes of an entry besides its text, vector and answer: its objects and its place in a map. */
const OVERHEAD = 900
/** Bytes of a partition besides its entries. */
const PARTITION = 600
/** Most pairs kept that were found to be wrong. */
const MAX_SEPARATED = 10_000

interface Kept extends Placed {
  readonly entry: Entry
  readonly bytes: number
}

/**
 * All entries of one layer, by partition: canonical keys in maps, vectors in an index. The least recently used entries
 * are removed first. They live in memory and outlive a reload.
 */
export class Entries {
  readonly #arena = Arena.open()
  /** In order of use. */
  readonly #byKey = new Map<string, Kept>()
  /** Kept between calls: a new iterator would step over the empty places of all removed entries. */
  #oldest = this.#byKey.values()
  readonly #partitions = new Map<string, PartitionIndex<Kept>>()
  readonly #separated = new Set<string>()
  #bounds: Bounds
  #bytes = 0
  #fingerprint: string | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#byKey.size
  }

  get bytes(): number {
    return this.#bytes + PARTITION * this.#partitions.size + (this.#arena?.bytes ?? 0)
  }

  setBounds(bounds: Bounds): void {
    this.#bounds = bounds
    this.#shrink()
  }

  /** Clears the entries when the model changes: vectors of different weights cannot be compared. */
  adopt(fingerprint: string): void {
    if (this.#fingerprint !== undefined && this.#fingerprint !== fingerprint) this.clear()
    this.#fingerprint = fingerprint
  }

  canonical(partition: string, canonical: string, now: number): Entry | undefined {
    const kept = this.#byKey.get(keyOf(partition, canonical))
    if (!kept) return undefined
    if (kept.entry.freshUntil > now) return this.#used(kept)
    this.#remove(kept)
    return undefined
  }

  /** The best `count` fresh entries of a partition at or above `least`, best first. */
  near(partition: string, vector: Float32Array, least: number, count: number, now: number): NearEntry[] {
    const index = this.#partitions.get(partition)
    if (!index) return []
    const found: NearEntry[] = []
    // More than `count`, so that expired entries do not displace fresh ones.
    for (const { item, similarity } of index.search(vector, least, RESCORED)) {
      if (item.entry.freshUntil <= now) this.#remove(item)
      else if (found.length < count) found.push({ ...item.entry, similarity })
    }
    return found
  }

  /** Number of entries that a search in a partition goes through. */
  partitionSize(partition: string): number {
    return this.#partitions.get(partition)?.size ?? 0
  }

  /** Marks an entry as used, so that it is removed later. */
  use({ partition, canonical }: Entry): void {
    const kept = this.#byKey.get(keyOf(partition, canonical))
    if (kept) this.#used(kept)
  }

  /** Stores an entry; returns how many others were removed for it. */
  set(entry: Entry): number {
    const key = keyOf(entry.partition, entry.canonical)
    const old = this.#byKey.get(key)
    if (old) this.#remove(old)
    const bytes =
      OVERHEAD + 2 * entry.text.length + key.length + (entry.vector?.byteLength ?? 0) + (entry.value?.byteLength ?? 0)
    if (bytes > this.#bounds.max_bytes) return 0
    const kept = { slot: -1, entry, bytes }
    this.#byKey.set(key, kept)
    this.#bytes += bytes
    if (entry.vector) this.#indexOf(entry.partition).add(kept, entry.vector)
    const before = this.size
    this.#shrink()
    return before - this.size
  }

  /** Is this very entry, stored by the same request, present? */
  holds({ id, partition, canonical, freshUntil }: Entry): boolean {
    const entry = this.#byKey.get(keyOf(partition, canonical))?.entry
    return entry?.id === id && entry.freshUntil === freshUntil
  }

  /** The entry that a request stored, if it is still present. */
  storedBy(id: string): Entry | undefined {
    for (const { entry } of this.#byKey.values()) if (entry.id === id) return entry
    return undefined
  }

  delete(partition: string, canonical: string): boolean {
    const kept = this.#byKey.get(keyOf(partition, canonical))
    if (kept) this.#remove(kept)
    return kept !== undefined
  }

  /** From now on neither prompt gets the other's answer, whatever guards and verifier say. */
  separate(canonical: string, other: string): void {
    if (this.#separated.size >= MAX_SEPARATED)
      for (const first of this.#separated) {
        this.#separated.delete(first)
        break
      }
    this.#separated.add(pairOf(canonical, other))
  }

  /** All pairs that were separated. */
  *separatedPairs(): Iterable<readonly [string, string]> {
    for (const pair of this.#separated) {
      const [one = '', other = ''] = pair.split(' ')
      yield [one, other]
    }
  }

  areSeparated(canonical: string, other: string): boolean {
    return this.#separated.has(pairOf(canonical, other))
  }

  clear(): void {
    for (const index of this.#partitions.values()) index.clear()
    this.#partitions.clear()
    this.#byKey.clear()
    this.#bytes = 0
  }

  #used(kept: Kept): Entry {
    const key = keyOf(kept.entry.partition, kept.entry.canonical)
    this.#byKey.delete(key)
    this.#byKey.set(key, kept)
    return kept.entry
  }

  #indexOf(partition: string): PartitionIndex<Kept> {
    const known = this.#partitions.get(partition) ?? new PartitionIndex<Kept>(this.#arena)
    this.#partitions.set(partition, known)
    return known
  }

  #remove(kept: Kept): void {
    const { bytes, entry } = kept
    const { partition, canonical } = entry
    this.#byKey.delete(keyOf(partition, canonical))
    this.#bytes -= bytes
    const index = this.#partitions.get(partition)
    index?.delete(kept)
    if (index?.size === 0) this.#partitions.delete(partition)
  }

  #shrink(): void {
    while (this.size > this.#bounds.max_entries || this.bytes > this.#bounds.max_bytes) {
      const oldest = this.#oldest.next()
      if (!oldest.done) this.#remove(oldest.value)
      else if (this.size === 0) return
      else this.#oldest = this.#byKey.values()
    }
  }
}

const keyOf = (partition: string, canonical: string): string => `${partition}:${canonical}`
const pairOf = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`)
