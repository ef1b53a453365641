import { Arena } from './index/arena.ts'
import { PartitionIndex, type Placed, RESCORED } from './index/partition-index.ts'
import type { AddMessage, LookupMessage } from './messages.ts'

export interface IndexedEntry extends Placed, Pick<AddMessage, 'handle' | 'partition' | 'freshUntil' | 'text'> {}

/** An entry that is near, and its cosine. */
export interface Candidate {
  readonly entry: IndexedEntry
  readonly similarity: number
}

/** A search of the entries. */
type Wanted = Pick<LookupMessage, 'partition' | 'most' | 'least' | 'now' | 'excluded'>

/** The entries that can be found by their vectors, by partition. */
export class IndexedEntries {
  readonly #arena = Arena.open()
  readonly #entries = new Map<number, IndexedEntry>()
  readonly #partitions = new Map<number, PartitionIndex<IndexedEntry>>()
  readonly #expired: (handle: number) => void

  /** `expired` hears of an entry that a search met after its time. */
  constructor(expired: (handle: number) => void) {
    this.#expired = expired
  }

  add({ handle, partition, freshUntil, text }: AddMessage, vector: Float32Array): void {
    this.remove(handle)
    const index = this.#partitions.get(partition) ?? new PartitionIndex<IndexedEntry>(this.#arena)
    this.#partitions.set(partition, index)
    const entry = { slot: -1, handle, partition, freshUntil, text }
    this.#entries.set(handle, entry)
    index.add(entry, vector)
  }

  remove(handle: number): void {
    const entry = this.#entries.get(handle)
    if (!entry) return
    this.#entries.delete(handle)
    const index = this.#partitions.get(entry.partition)
    index?.delete(entry)
    if (index?.size === 0) this.#partitions.delete(entry.partition)
  }

  clear(): void {
    for (const index of this.#partitions.values()) index.clear()
    this.#partitions.clear()
    this.#entries.clear()
  }

  /** Best first. */
  search(vector: Float32Array, { partition, most, least, now, excluded }: Wanted): Candidate[] {
    const near = this.#partitions.get(partition)?.search(vector, least, RESCORED) ?? []
    const found: Candidate[] = []
    for (const { item, similarity } of near) {
      if (item.freshUntil <= now) this.#expired(item.handle)
      else if (found.length < most && !excluded.includes(item.handle)) found.push({ entry: item, similarity })
    }
    return found
  }
}
