import { type Arena, BLOCK, codesAt, LIST } from './arena.ts'
import { DIMENSIONS } from './scan.ts'

/** A neighbour, by the number it was added under. */
export interface Neighbour {
  readonly id: number
  /** Cosine. */
  readonly similarity: number
}

/** Up to here a partition is a plain list: most are, and a list costs nothing when it is empty. */
const PLAIN = 64
/** From here on sign bits say which vectors are worth a dot product. */
const SIFTED = 2048
/** Slots that pass the sieve: at least, and as a share of all. */
const SIEVE_LEAST = 768
const SIEVE_SHARE = 0.01
/** How many of the best by int8 are measured exactly. */
const RESCORED = 32

/**
 * The vectors of one partition. Three sizes of the same thing: a plain list; int8 codes that are scanned whole; sign
 * bits about the partition's centre first, then codes, then the exact cosine. Adding and deleting touch one slot.
 */
export class PartitionIndex {
  readonly #arena: Arena | undefined
  readonly #ids: number[] = []
  readonly #vectors: Float32Array[] = []
  readonly #slots = new Map<number, number>()
  #blocks: number[] = []
  #centre: Float32Array | undefined
  #distances = new Uint16Array(0)

  /** Without an arena every size is a plain list. */
  constructor(arena?: Arena) {
    this.#arena = arena
  }

  get size(): number {
    return this.#ids.length
  }

  add(id: number, vector: Float32Array): void {
    this.delete(id)
    const slot = this.#ids.length
    this.#ids.push(id)
    this.#vectors.push(vector)
    this.#slots.set(id, slot)
    if (this.#blocks.length > 0) this.#write(slot, vector)
    else if (this.size > PLAIN) for (const [i, one] of this.#vectors.entries()) this.#write(i, one)
    if (!this.#centre && this.size >= SIFTED && this.#arena) this.#sift(this.#arena)
  }

  delete(id: number): boolean {
    const slot = this.#slots.get(id)
    if (slot === undefined) return false
    this.#slots.delete(id)
    const last = this.#ids.length - 1
    const [lastId, lastVector] = [this.#ids.pop(), this.#vectors.pop()]
    if (slot !== last && lastId !== undefined && lastVector) {
      this.#ids[slot] = lastId
      this.#vectors[slot] = lastVector
      this.#slots.set(lastId, slot)
      if (this.#blocks.length > 0) this.#arena?.copy(this.#block(last), last % BLOCK, this.#block(slot), slot % BLOCK)
    }
    this.#shrink()
    return true
  }

  /** The best `count` at or above `least`, best first. `vector` is of unit length, as all are. */
  search(vector: Float32Array, least: number, count: number): Neighbour[] {
    const found: Neighbour[] = []
    for (const slot of this.#shortlist(vector)) {
      const [id, other] = [this.#ids[slot], this.#vectors[slot]]
      if (id === undefined || !other) continue
      const similarity = dot(vector, other)
      if (similarity >= least) found.push({ id, similarity })
    }
    return found.sort((a, b) => b.similarity - a.similarity || a.id - b.id).slice(0, count)
  }

  /** Gives its blocks back. */
  clear(): void {
    for (const block of this.#blocks) this.#arena?.give(block)
    this.#blocks = []
    this.#centre = undefined
    this.#ids.length = 0
    this.#vectors.length = 0
    this.#slots.clear()
  }

  #write(slot: number, vector: Float32Array): void {
    if (!this.#arena) return
    if (slot === this.#blocks.length * BLOCK) this.#blocks.push(this.#arena.take())
    this.#arena.writeCodes(this.#block(slot), slot % BLOCK, vector)
    if (this.#centre) this.#arena.writeBits(this.#block(slot), slot % BLOCK, vector, this.#centre)
  }

  /** Signs say most about the middle of what is there; the middle stays where it was found. */
  #sift(arena: Arena): void {
    const centre = new Float32Array(DIMENSIONS)
    for (const vector of this.#vectors)
      for (let i = 0; i < DIMENSIONS; i++) centre[i] = (centre[i] ?? 0) + (vector[i] ?? 0)
    this.#centre = centre.map(sum => sum / this.size)
    for (const [slot, vector] of this.#vectors.entries())
      arena.writeBits(this.#block(slot), slot % BLOCK, vector, this.#centre)
  }

  #shrink(): void {
    while (this.#blocks.length > 0 && (this.#blocks.length - 1) * BLOCK >= this.size) {
      const block = this.#blocks.pop()
      if (block !== undefined) this.#arena?.give(block)
    }
    if (this.#blocks.length > 0 && this.size < PLAIN / 2) {
      for (const block of this.#blocks) this.#arena?.give(block)
      this.#blocks = []
    }
    if (this.size < SIFTED / 2) this.#centre = undefined
  }

  #block(slot: number): number {
    return this.#blocks[Math.floor(slot / BLOCK)] ?? 0
  }

  #shortlist(vector: Float32Array): Iterable<number> {
    if (!this.#arena || this.#blocks.length === 0) return this.#ids.keys()
    this.#arena.ask(vector, this.#centre)
    const slots = this.#centre ? this.#sieve(this.#arena) : Array.from(this.#ids.keys())
    const list = this.#arena.list
    for (const [i, slot] of slots.entries()) list[i] = codesAt(this.#block(slot), slot % BLOCK)
    return best(slots, this.#arena.products(slots.length), RESCORED)
  }

  /** The slots whose signs are nearest. */
  #sieve(arena: Arena): number[] {
    const { size } = this
    if (this.#distances.length < size) this.#distances = new Uint16Array(Math.ceil(size * 1.25))
    const distances = this.#distances
    const counts = new Uint32Array(DIMENSIONS + 1)
    for (const [i, block] of this.#blocks.entries()) {
      const from = i * BLOCK
      const here = Math.min(BLOCK, size - from)
      const some = arena.distances(block, here)
      for (let slot = 0; slot < here; slot++) {
        const distance = some[slot] ?? 0
        distances[from + slot] = distance
        counts[distance] = (counts[distance] ?? 0) + 1
      }
    }
    const wanted = Math.min(LIST / 2, Math.max(SIEVE_LEAST, Math.ceil(size * SIEVE_SHARE)))
    let farthest = 0
    for (let sum = counts[0] ?? 0; sum < wanted && farthest < DIMENSIONS; ) sum += counts[++farthest] ?? 0
    const near: number[] = []
    for (let slot = 0; slot < size && near.length < LIST; slot++)
      if ((distances[slot] ?? 0) <= farthest) near.push(slot)
    return near
  }
}

/** The slots with the largest products. */
function best(slots: readonly number[], products: Int32Array, count: number): number[] {
  if (slots.length <= count) return [...slots]
  const order = Int32Array.from(products.subarray(0, slots.length)).sort()
  const least = order[order.length - count] ?? 0
  return slots.filter((_, i) => (products[i] ?? 0) >= least).slice(0, 2 * count)
}

export function dot(a: Float32Array, b: Float32Array): number {
  let [s, t, u, v] = [0, 0, 0, 0]
  for (let i = 0; i < DIMENSIONS; i += 4) {
    s += (a[i] ?? 0) * (b[i] ?? 0)
    t += (a[i + 1] ?? 0) * (b[i + 1] ?? 0)
    u += (a[i + 2] ?? 0) * (b[i + 2] ?? 0)
    v += (a[i + 3] ?? 0) * (b[i + 3] ?? 0)
  }
  return s + t + u + v
}
