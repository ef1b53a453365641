import type { Arena } from './arena.ts'
import { Best } from './best.ts'
import { DIMENSIONS, GRADES, ROWS } from './layout.ts'
import { Query } from './query.ts'
import type { Block } from './slab.ts'

/** An item of an index. The index writes its slot, so that the item can be deleted without a search. */
export interface Placed {
  slot: number
}

export interface Neighbour<T> {
  readonly item: T
  /** Cosine. */
  readonly similarity: number
}

/** Up to this size a partition is a plain list: most are, and an empty list takes no blocks. */
const PLAIN = 32
/** Up to this size all vectors are measured by codes. */
const SCANNED = 128
/** Most of the best by sign bits that are measured by codes. */
const MEASURED = 1536
/** Most of the best by codes that are measured exactly, and that a search can return. */
export const RESCORED = 32

/**
 * The vectors of one partition. Three sizes of the same thing: a plain list; int8 codes that are scanned whole; sign
 * bits about the partition's centre first, then codes. What comes out is measured exactly. Adding and deleting touch
 * one slot.
 */
export class PartitionIndex<T extends Placed> {
  #arena: Arena | undefined
  readonly #items: T[] = []
  readonly #vectors: Float32Array[] = []
  #blocks: Block[] = []
  #centre: Float32Array | undefined
  /** Number of independent signs. */
  #signs = DIMENSIONS

  /** Without an arena every size is a plain list. */
  constructor(arena?: Arena) {
    this.#arena = arena
  }

  get size(): number {
    return this.#items.length
  }

  /** `vector` is of unit length, and `item` not here yet. */
  add(item: T, vector: Float32Array): void {
    item.slot = this.size
    this.#items.push(item)
    this.#vectors.push(vector)
    if (this.#centre) this.#write(item.slot, vector, this.#centre)
    else if (this.size > PLAIN) this.#buildBlocks()
  }

  /** The last item takes the slot of the deleted one. */
  delete(item: T): boolean {
    const { slot } = item
    if (this.#items[slot] !== item) return false
    const [last, lastVector] = [this.#items.pop(), this.#vectors.pop()]
    if (last && lastVector && last !== item) {
      const [from, to] = [this.#blocks[Math.floor(last.slot / ROWS)], this.#blocks[Math.floor(slot / ROWS)]]
      if (from && to) from.slab.copy(from.at, last.slot % ROWS, to, slot % ROWS)
      this.#items[slot] = last
      this.#vectors[slot] = lastVector
      last.slot = slot
    }
    if (this.size < PLAIN / 2) this.#releaseBlocks()
    else if ((this.#blocks.length - 1) * ROWS >= this.size) this.#giveBlock()
    return true
  }

  /** The best `count` at or above `least`, best first. */
  search(vector: Float32Array, least: number, count: number): Neighbour<T>[] {
    const found: Neighbour<T>[] = []
    for (const slot of this.#shortlist(vector, least)) {
      const [item, other] = [this.#items[slot], this.#vectors[slot]]
      if (!item || !other) continue
      const similarity = dot(vector, other)
      if (similarity >= least) found.push({ item, similarity })
    }
    return found.sort((a, b) => b.similarity - a.similarity || a.item.slot - b.item.slot).slice(0, count)
  }

  /** Removes all items and returns the blocks. */
  clear(): void {
    this.#releaseBlocks()
    this.#items.length = 0
    this.#vectors.length = 0
  }

  #write(slot: number, vector: Float32Array, centre: Float32Array): void {
    if (slot === this.#blocks.length * ROWS) {
      const block = this.#arena?.take()
      if (block) this.#blocks.push(block)
      else this.#fallBackToList()
    }
    const block = this.#blocks[Math.floor(slot / ROWS)]
    block?.slab.write(block.at, slot % ROWS, vector, centre)
  }

  /**
   * The middle of the first ones stays the centre: it need not be true, only rid the others of what nearly all have in
   * common.
   */
  #buildBlocks(): void {
    if (!this.#arena) return
    this.#centre = centreOf(this.#vectors)
    this.#signs = signsOf(this.#vectors, this.#centre)
    for (const [slot, vector] of this.#vectors.entries()) this.#write(slot, vector, this.#centre)
  }

  #releaseBlocks(): void {
    this.#centre = undefined
    while (this.#blocks.length > 0) this.#giveBlock()
  }

  /** Continues as a plain list when there is no memory: slower, but correct. */
  #fallBackToList(): void {
    this.#releaseBlocks()
    this.#arena = undefined
  }

  #giveBlock(): void {
    const block = this.#blocks.pop()
    if (block) this.#arena?.give(block)
  }

  // Plain loops and casts in what follows, as there are thousands of turns for each request: iterators and `?? 0` leave
  // an object a turn behind.
  #shortlist(vector: Float32Array, least: number): Iterable<number> {
    if (!this.#centre) return this.#items.keys()
    const query = new Query(vector, this.#centre, { least, signs: this.#signs })
    const grade = this.size > SCANNED ? this.#sift(query) : 0
    const best = new Best(RESCORED)
    for (let from = 0; from < this.size; from += ROWS) {
      const { slab, at } = this.#blocks[from / ROWS] as Block
      const measured = slab.measure(query, at, Math.min(ROWS, this.size - from), grade)
      for (let n = 0; n < measured; n++) {
        const value = slab.values[n] as number
        if (value >= query.leastValue) best.offer(from + (slab.rows[n] as number), value)
      }
    }
    return best.slots
  }

  /** The estimate that whatever may be near enough has at least, and of more than `MEASURED` such the nearest. */
  #sift(query: Query): number {
    for (let from = 0; from < this.size; from += ROWS) {
      const { slab, at } = this.#blocks[from / ROWS] as Block
      slab.score(query, at, Math.min(ROWS, this.size - from))
    }
    let grade = GRADES
    for (let passed = 0; grade > query.leastEstimate && grade > 0 && passed < MEASURED; ) {
      grade--
      for (const { counts } of query.slabs) passed += counts[grade] as number
    }
    return grade
  }
}

function centreOf(vectors: readonly Float32Array[]): Float32Array {
  const centre = new Float32Array(DIMENSIONS)
  for (const vector of vectors)
    for (let i = 0; i < DIMENSIONS; i++) centre[i] = (centre[i] ?? 0) + (vector[i] ?? 0) / vectors.length
  return centre
}

/**
 * How many dimensions these vectors have as seen from their centre, by the spread in each: all where they are alike, few
 * where a few of them say nearly everything (the participation ratio, of squares summed and summed squares).
 */
function signsOf(vectors: readonly Float32Array[], centre: Float32Array): number {
  let sum = 0
  let squares = 0
  for (let i = 0; i < DIMENSIONS; i++) {
    let spread = 0
    for (const vector of vectors) spread += ((vector[i] ?? 0) - (centre[i] ?? 0)) ** 2
    sum += spread
    squares += spread ** 2
  }
  return squares > 0 ? sum ** 2 / squares : DIMENSIONS
}

export function dot(a: Float32Array, b: Float32Array): number {
  let s = 0
  let t = 0
  let u = 0
  let v = 0
  // Indices are within. With `?? 0` in the place of the casts a lookup left 150 kB of boxed numbers behind.
  for (let i = 0; i < DIMENSIONS; i += 4) {
    s += (a[i] as number) * (b[i] as number)
    t += (a[i + 1] as number) * (b[i + 1] as number)
    u += (a[i + 2] as number) * (b[i + 2] as number)
    v += (a[i + 3] as number) * (b[i + 3] as number)
  }
  return s + t + u + v
}
