import { BIT_BYTES, DIMENSIONS, newScan, type Scan } from './scan.ts'

/** Entries in one block: their sign bits in a row, then their int8 codes in a row. */
export const BLOCK = 256
const BLOCK_BYTES = BLOCK * (BIT_BYTES + DIMENSIONS)
/** Rows that one call of `Scan.dots` can take. */
export const LIST = 8192

const QUERY_BITS = 0
const QUERY_CODES = 64
const DISTANCES = 512
const ADDRESSES = 1024
const PRODUCTS = ADDRESSES + 4 * LIST
const HEAD = PRODUCTS + 4 * LIST
const PAGE = 65_536

/** How vectors are written as codes: what is left of them beside their centre, on one scale. */
export interface Frame {
  readonly centre: Float32Array
  /** Codes per unit. */
  readonly scale: number
}

/** The memory that the loops of `scan.ts` work on, in blocks; freed ones are used again. */
export class Arena {
  readonly #scan: Scan
  readonly #free: number[] = []
  #end = HEAD
  #bytes: Uint8Array
  #codes: Int8Array
  #distances: Uint16Array
  #addresses: Uint32Array
  #products: Int32Array

  constructor(scan: Scan) {
    this.#scan = scan
    scan.memory.grow(Math.ceil(HEAD / PAGE))
    ;[this.#bytes, this.#codes, this.#distances, this.#addresses, this.#products] = views(scan.memory)
  }

  /** `undefined` where there is no SIMD. */
  static open(): Arena | undefined {
    const scan = newScan()
    return scan && new Arena(scan)
  }

  /** The address of a block of its own. */
  take(): number {
    const freed = this.#free.pop()
    if (freed !== undefined) return freed
    const at = this.#end
    this.#end += BLOCK_BYTES
    const { memory } = this.#scan
    const missing = this.#end - memory.buffer.byteLength
    if (missing > 0) {
      memory.grow(Math.ceil(missing / PAGE) + 16)
      ;[this.#bytes, this.#codes, this.#distances, this.#addresses, this.#products] = views(memory)
    }
    return at
  }

  give(block: number): void {
    this.#free.push(block)
  }

  /** Bytes in blocks, used or freed. */
  get bytes(): number {
    return this.#end - HEAD
  }

  write(block: number, slot: number, vector: Float32Array, frame: Frame): void {
    quantise(this.#codes, codesAt(block, slot), vector, frame)
    signs(this.#bytes, block + slot * BIT_BYTES, vector, frame.centre)
  }

  /** One slot over another: how a hole is filled. */
  copy(from: number, slot: number, to: number, hole: number): void {
    this.#bytes.copyWithin(to + hole * BIT_BYTES, from + slot * BIT_BYTES, from + (slot + 1) * BIT_BYTES)
    this.#bytes.copyWithin(codesAt(to, hole), codesAt(from, slot), codesAt(from, slot + 1))
  }

  ask(vector: Float32Array, frame: Frame): void {
    quantise(this.#codes, QUERY_CODES, vector, frame)
    signs(this.#bytes, QUERY_BITS, vector, frame.centre)
  }

  /** Bits in which the first `count` slots of a block differ from the asked vector; read before the next call. */
  distances(block: number, count: number): Uint16Array {
    this.#scan.hamming(block, count, QUERY_BITS, DISTANCES)
    return this.#distances
  }

  /** Where to list the slots for `products`. */
  get list(): Uint32Array {
    return this.#addresses
  }

  /** Dot products of the first `count` listed slots' codes with the asked ones; read before the next call. */
  products(count: number): Int32Array {
    this.#scan.dots(ADDRESSES, count, QUERY_CODES, PRODUCTS)
    return this.#products
  }
}

/** The address that `Arena.list` takes for a slot. */
export const codesAt = (block: number, slot: number): number => block + BLOCK * BIT_BYTES + slot * DIMENSIONS

const views = ({ buffer }: WebAssembly.Memory) =>
  [
    new Uint8Array(buffer),
    new Int8Array(buffer),
    new Uint16Array(buffer, DISTANCES, BLOCK),
    new Uint32Array(buffer, ADDRESSES, LIST),
    new Int32Array(buffer, PRODUCTS, LIST),
  ] as const

function quantise(codes: Int8Array, at: number, vector: Float32Array, { centre, scale }: Frame): void {
  for (let i = 0; i < DIMENSIONS; i++) {
    const code = Math.round(((vector[i] ?? 0) - (centre[i] ?? 0)) * scale)
    codes[at + i] = Math.max(-127, Math.min(127, code))
  }
}

function signs(bytes: Uint8Array, at: number, vector: Float32Array, centre: Float32Array): void {
  for (let i = 0; i < BIT_BYTES; i++) {
    let byte = 0
    for (let bit = 0; bit < 8; bit++) {
      const d = 8 * i + bit
      if ((vector[d] ?? 0) > (centre[d] ?? 0)) byte |= 1 << bit
    }
    bytes[at + i] = byte
  }
}
