import { type Arena, BLOCK, codesAt, type Frame, LIST } from './arena.ts'
import { DIMENSIONS } from './scan.ts'

/** A neighbour, by the number it was added under. */
export interface Neighbour {
  readonly id: number
  /** Cosine. */
  readonly similarity: number
}

/** Up to here a partition is a plain list: most are, and a list costs nothing when it is empty. */
const PLAIN = 64
const BLOCK_SHIFT = Math.log2(BLOCK)
/** Here the centre is found once more, among enough to know it and few enough to write them anew in a millisecond. */
const CENTRED = 400
/** From here on sign bits say which vectors are worth a dot product. */
const SIFTED = 4096
/** Slots that pass the sieve: at least, and as a share of all. */
const SIEVE_LEAST = 2048
const SIEVE_SHARE = 0.03
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
  #frame: Frame | undefined
  #sifts = false
  /** Of each slot, the part of its cosine that is the centre's: codes hold only the rest. */
  readonly #common: number[] = []
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
    else if (this.size > PLAIN) this.#settle()
    if (this.size === CENTRED) this.#settle()
    if (this.size >= SIFTED && this.#frame) this.#sifts = true
  }

  delete(id: number): boolean {
    const slot = this.#slots.get(id)
    if (slot === undefined) return false
    this.#slots.delete(id)
    const last = this.#ids.length - 1
    const [lastId, lastVector, lastCommon] = [this.#ids.pop(), this.#vectors.pop(), this.#common.pop()]
    if (slot !== last && lastId !== undefined && lastVector) {
      this.#ids[slot] = lastId
      this.#vectors[slot] = lastVector
      if (lastCommon !== undefined) this.#common[slot] = lastCommon
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
    this.#sifts = false
    this.#common.length = 0
    this.#ids.length = 0
    this.#vectors.length = 0
    this.#slots.clear()
  }

  #write(slot: number, vector: Float32Array): void {
    if (!this.#arena || !this.#frame) return
    if (slot === this.#blocks.length * BLOCK) this.#blocks.push(this.#arena.take())
    this.#arena.write(this.#block(slot), slot % BLOCK, vector, this.#frame)
    this.#common[slot] = dot(vector, this.#frame.centre)
  }

  /** Finds the middle of what is there, and how far it reaches, and writes all as seen from there. */
  #settle(): void {
    if (!this.#arena) return
    this.#frame = frameOf(this.#vectors)
    for (const [slot, vector] of this.#vectors.entries()) this.#write(slot, vector)
  }

  #shrink(): void {
    while (this.#blocks.length > 0 && (this.#blocks.length - 1) * BLOCK >= this.size) {
      const block = this.#blocks.pop()
      if (block !== undefined) this.#arena?.give(block)
    }
    if (this.#blocks.length > 0 && this.size < PLAIN / 2) {
      for (const block of this.#blocks) this.#arena?.give(block)
      this.#blocks = []
      this.#common.length = 0
    }
    if (this.size < SIFTED / 2) this.#sifts = false
  }

  #block(slot: number): number {
    return this.#blocks[Math.floor(slot / BLOCK)] ?? 0
  }

  #shortlist(vector: Float32Array): Iterable<number> {
    if (!this.#arena || !this.#frame || this.#blocks.length === 0) return this.#ids.keys()
    this.#arena.ask(vector, this.#frame)
    const slots = this.#sifts ? this.#sieve(this.#arena) : all(this.size)
    const { list } = this.#arena
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      list[i] = codesAt(this.#blocks[slot >> BLOCK_SHIFT] ?? 0, slot & (BLOCK - 1))
    }
    const products = this.#arena.products(slots.length)
    const unit = 1 / this.#frame.scale ** 2
    const best = new Best(RESCORED)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      best.offer(slot, (products[i] ?? 0) * unit + (this.#common[slot] ?? 0))
    }
    return best.slots
  }

  /** The slots whose signs are nearest. */
  #sieve(arena: Arena): Uint32Array {
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
    const wanted = Math.min(LIST * 0.75, Math.max(SIEVE_LEAST, Math.ceil(size * SIEVE_SHARE)))
    let farthest = 0
    for (let sum = counts[0] ?? 0; sum < wanted && farthest < DIMENSIONS; ) sum += counts[++farthest] ?? 0
    const near = new Uint32Array(LIST)
    let count = 0
    for (let slot = 0; slot < size && count < LIST; slot++) if ((distances[slot] ?? 0) <= farthest) near[count++] = slot
    return near.subarray(0, count)
  }
}

const all = (size: number): Uint32Array => Uint32Array.from({ length: size }, (_, slot) => slot)

/** The slots with the largest values, as many as asked for. Most offers fail at the first comparison. */
class Best {
  readonly slots: number[] = []
  readonly #values: number[] = []
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  offer(slot: number, value: number): void {
    if (this.slots.length === this.#count && value <= (this.#values[this.#count - 1] ?? 0)) return
    let at = Math.min(this.slots.length, this.#count - 1)
    while (at > 0 && (this.#values[at - 1] ?? 0) < value) {
      this.#values[at] = this.#values[at - 1] ?? 0
      this.slots[at] = this.slots[at - 1] ?? 0
      at--
    }
    this.#values[at] = value
    this.slots[at] = slot
  }
}

/** A component this many times the usual one is cut off. */
const REACH = 4.5

function frameOf(vectors: readonly Float32Array[]): Frame {
  const centre = new Float32Array(DIMENSIONS)
  for (const vector of vectors) for (let i = 0; i < DIMENSIONS; i++) centre[i] = (centre[i] ?? 0) + (vector[i] ?? 0)
  for (let i = 0; i < DIMENSIONS; i++) centre[i] = (centre[i] ?? 0) / vectors.length
  // All are of unit length, so what the centre does not explain is what is left of one.
  const rest = Math.sqrt(Math.max(1e-6, 1 - dot(centre, centre)) / DIMENSIONS)
  return { centre, scale: 127 / (REACH * rest) }
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
