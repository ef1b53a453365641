import type { AddMessage } from './engine/messages.ts'
import type { EntrySource } from './engine/write-back.ts'
import { SeparatedPairs } from './separated-pairs.ts'
import { encodeVector } from './vector-text.ts'

/** One stored answer, and the keys to find it by. */
export interface Entry {
  /** Id of the request that stored it. */
  readonly id: string
  readonly partition: string
  /** The canonical key of its prompt. */
  readonly canonical: string
  readonly text: string
  /** May its answer serve prompts in other words? Otherwise it is found by its canonical key only. */
  readonly comparable: boolean
  /** Only where the engine cannot make its embedder for itself. */
  readonly vector?: Float32Array
  /** The stored answer; absent where a store keeps it. */
  readonly value?: Uint8Array
  /** Milliseconds since 1970. */
  readonly freshUntil: number
}

export interface NearEntry extends Entry {
  /** Cosine. */
  readonly similarity: number
}

export interface Bounds {
  readonly max_entries: number
  readonly max_bytes: number
}

/** Hears which entries can be compared. */
export interface EntryIndex {
  /** Has from now on what is in this source, or nothing. */
  follow(source: EntrySource | undefined): void
  add(handle: number): void
  remove(handle: number): void
  clear(): void
}

/** Bytes of an entry besides its text, vector and answer: its objects and its place in a map. */
const OVERHEAD = 900
/** Bytes of an entry in the engine, besides its text: vector, codes, objects and places in maps. */
const INDEXED = 2600
/** Bytes of a partition besides its entries. */
const PARTITION = 600

/** The entries of a partition that can be compared. */
interface Partition {
  readonly number: number
  size: number
}

interface Kept {
  readonly entry: Entry
  readonly bytes: number
  /** Names the entry to the index; 0 where it has no place there. */
  readonly handle: number
}

/**
 * All entries of one layer by partition and canonical key. The least recently used ones are removed first. They live in
 * memory and outlive a reload. Those that can be compared have a handle, by which an index elsewhere knows them.
 */
export class Entries {
  /** Stays when the entries are cleared. */
  readonly apart = new SeparatedPairs()
  /** In order of use. */
  readonly #byKey = new Map<string, Kept>()
  readonly #byHandle = new Map<number, Kept>()
  /** Kept between calls: a new iterator would step over the empty places of all removed entries. */
  #oldest = this.#byKey.values()
  readonly #partitions = new Map<string, Partition>()
  readonly #now: () => number
  #index: EntryIndex | undefined
  #bounds: Bounds
  #bytes = 0
  #fingerprint: string | undefined
  #lastHandle = 0
  #lastPartition = 0

  /** `now` gives milliseconds since 1970. */
  constructor(bounds: Bounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
  }

  get size(): number {
    return this.#byKey.size
  }

  get bytes(): number {
    return this.#bytes + PARTITION * this.#partitions.size
  }

  setBounds(bounds: Bounds): void {
    this.#bounds = bounds
    this.#shrink()
  }

  /**
   * Clears the entries when a model changes: keys and vectors of different models cannot be compared. Pairs stay, because an
   * operator's word outweighs any judge: a pair whose keys are not made any more costs nothing but its place.
   */
  adopt(fingerprint: string): void {
    if (this.#fingerprint !== undefined && this.#fingerprint !== fingerprint) this.clear()
    this.#fingerprint = fingerprint
  }

  /** From now on this index alone has what is here. */
  setIndex(index: EntryIndex): void {
    if (this.#index === index) return
    this.#index?.follow(undefined)
    this.#index = index
    index.follow(this)
  }

  canonical(partition: string, canonical: string): Entry | undefined {
    const kept = this.#fresh(this.#byKey.get(keyOf(partition, canonical)))
    return kept && this.#used(kept)
  }

  /** A fresh entry of this partition; `undefined` where it is gone by now. */
  at(handle: number, partition: string): Entry | undefined {
    const entry = this.#fresh(this.#byHandle.get(handle))?.entry
    return entry?.partition === partition ? entry : undefined
  }

  /** A fresh entry, which is not marked as used. */
  peek(partition: string, canonical: string): Entry | undefined {
    const entry = this.#byKey.get(keyOf(partition, canonical))?.entry
    return entry && entry.freshUntil > this.#now() ? entry : undefined
  }

  /** Of all entries that can be compared. */
  handles(): Iterable<number> {
    return this.#byHandle.keys()
  }

  indexed(handle: number): AddMessage | undefined {
    const entry = this.#byHandle.get(handle)?.entry
    const partition = entry && this.partition(entry.partition)
    if (!entry || !partition) return undefined
    const { freshUntil, text, vector } = entry
    return { handle, partition: partition.number, freshUntil, text, vector: vector && encodeVector(vector) }
  }

  expire(handle: number): void {
    this.#fresh(this.#byHandle.get(handle))
  }

  /** What can be compared in a partition; `undefined` where nothing can. */
  partition(partition: string): Readonly<Partition> | undefined {
    return this.#partitions.get(partition)
  }

  /** Marks an entry as used, so that it is removed later. */
  use({ partition, canonical }: Entry): void {
    const kept = this.#byKey.get(keyOf(partition, canonical))
    if (kept) this.#used(kept)
  }

  /**
   * Stores an entry; returns how many others were removed for it. One of other models, by a request that began before a
   * reload, is left out.
   */
  set(entry: Entry, fingerprint = this.#fingerprint): number {
    if (this.#fingerprint !== undefined && fingerprint !== this.#fingerprint) return 0
    const key = keyOf(entry.partition, entry.canonical)
    const old = this.#byKey.get(key)
    if (old) this.#remove(old)
    const kept = { entry, bytes: bytesOf(entry), handle: entry.comparable ? this.#newHandle() : 0 }
    if (kept.bytes > this.#bounds.max_bytes) return 0
    this.#byKey.set(key, kept)
    this.#bytes += kept.bytes
    if (kept.handle > 0) this.#enter(kept)
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

  /** Handles of the entries of a partition that were separated from this prompt. */
  separated(partition: string, canonical: string): number[] {
    return this.apart.partnersOf(canonical).flatMap(one => this.#byKey.get(keyOf(partition, one))?.handle || [])
  }

  clear(): void {
    this.#partitions.clear()
    this.#byHandle.clear()
    this.#byKey.clear()
    this.#bytes = 0
    this.#index?.clear()
  }

  #newHandle(): number {
    do this.#lastHandle = (this.#lastHandle + 1) >>> 0
    while (this.#lastHandle === 0 || this.#byHandle.has(this.#lastHandle))
    return this.#lastHandle
  }

  #enter(kept: Kept): void {
    const { partition } = kept.entry
    const known = this.#partitions.get(partition) ?? { number: this.#newPartition(), size: 0 }
    known.size++
    this.#partitions.set(partition, known)
    this.#byHandle.set(kept.handle, kept)
    this.#index?.add(kept.handle)
  }

  #newPartition(): number {
    // Used up, they begin anew: by then the first ones are long gone.
    this.#lastPartition = (this.#lastPartition + 1) >>> 0 || 1
    return this.#lastPartition
  }

  /** Removes what is past its time. */
  #fresh(kept: Kept | undefined): Kept | undefined {
    if (!kept || kept.entry.freshUntil > this.#now()) return kept
    this.#remove(kept)
    return undefined
  }

  #used(kept: Kept): Entry {
    const key = keyOf(kept.entry.partition, kept.entry.canonical)
    this.#byKey.delete(key)
    this.#byKey.set(key, kept)
    return kept.entry
  }

  #remove({ bytes, entry, handle }: Kept): void {
    this.#byKey.delete(keyOf(entry.partition, entry.canonical))
    this.#bytes -= bytes
    if (handle === 0) return
    this.#byHandle.delete(handle)
    const partition = this.#partitions.get(entry.partition)
    if (partition && --partition.size === 0) this.#partitions.delete(entry.partition)
    this.#index?.remove(handle)
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

/** Texts are counted with two bytes a character, though most need one. */
function bytesOf({ partition, canonical, text, comparable, vector, value }: Entry): number {
  const words = 2 * text.length
  const indexed = comparable ? INDEXED + words : 0
  return (
    OVERHEAD +
    words +
    partition.length +
    canonical.length +
    indexed +
    (vector?.byteLength ?? 0) +
    (value?.byteLength ?? 0)
  )
}
