import {
  BIT_BYTES,
  BITS,
  BLOCK_BYTES,
  BLOCKS,
  CODES,
  COMMONS,
  COUNTS,
  DIMENSIONS,
  FOUND_ROWS,
  FOUND_VALUES,
  GRADES,
  HEAD,
  LENGTHS,
  QUERY_BITS,
  QUERY_CODES,
  QUERY_NUMBERS,
  ROWS,
  STEPS,
} from './layout.ts'
import { type Query, ROW_CODE, relate } from './query.ts'
import { newScan, type Scan } from './scan.ts'

/** A place for `ROWS` vectors. */
export interface Block {
  readonly slab: Slab
  readonly at: number
}

/** One memory, never grown: a growing one is mapped anew each time, which took up to 8 ms. */
export class Slab {
  readonly #scan: Scan
  readonly #bytes: Uint8Array
  readonly #codes: Int8Array
  readonly #floats: Float32Array
  readonly #queryCodes: Int16Array
  readonly #free: number[] = []
  #fresh = 0
  #query: Query | undefined
  readonly rows: Uint32Array
  readonly values: Float32Array
  /** For the current query: number of scored rows with each estimate. */
  readonly counts: Uint32Array

  private constructor(scan: Scan) {
    const { buffer } = scan.memory
    this.#scan = scan
    this.#bytes = new Uint8Array(buffer)
    this.#codes = new Int8Array(buffer)
    this.#floats = new Float32Array(buffer)
    this.#queryCodes = new Int16Array(buffer, QUERY_CODES, DIMENSIONS)
    this.rows = new Uint32Array(buffer, FOUND_ROWS, ROWS)
    this.values = new Float32Array(buffer, FOUND_VALUES, ROWS)
    this.counts = new Uint32Array(buffer, COUNTS, GRADES)
  }

  /** `undefined` where there is no SIMD or no room. */
  static open(): Slab | undefined {
    const scan = newScan()
    return scan && new Slab(scan)
  }

  take(): Block | undefined {
    const at = this.#free.pop() ?? (this.#fresh < BLOCKS ? HEAD + this.#fresh++ * BLOCK_BYTES : undefined)
    return at === undefined ? undefined : { slab: this, at }
  }

  give({ at }: Block): void {
    this.#free.push(at)
  }

  get isEmpty(): boolean {
    return this.#free.length === this.#fresh
  }

  write(block: number, row: number, vector: Float32Array, centre: Float32Array): void {
    const { length, largest, common } = relate(vector, centre, this.#bytes, block + BITS + row * BIT_BYTES)
    const step = largest / ROW_CODE
    const codes = block + CODES + row * DIMENSIONS
    for (let i = 0; i < DIMENSIONS; i++)
      this.#codes[codes + i] = Math.round(((vector[i] as number) - (centre[i] as number)) / step)
    this.#floats[(block + LENGTHS) / 4 + row] = length
    this.#floats[(block + COMMONS) / 4 + row] = common
    this.#floats[(block + STEPS) / 4 + row] = step
  }

  /** Copies one row over another, in this memory or another one, to fill a hole. */
  copy(block: number, row: number, to: Block, hole: number): void {
    const { slab, at } = to
    for (const [column, width] of COLUMNS) {
      const from = block + column + row * width
      slab.#bytes.set(this.#bytes.subarray(from, from + width), at + column + hole * width)
    }
  }

  score(query: Query, block: number, count: number): void {
    this.#load(query)
    this.#scan.score(block, count)
  }

  /**
   * How many rows were estimated at `least` or more. Until the next call `rows` has them, and `values` their cosines but
   * for what is the same for all.
   */
  measure(query: Query, block: number, count: number, least: number): number {
    this.#load(query)
    return this.#scan.measure(block, count, least)
  }

  #load(query: Query): void {
    if (this.#query === query) return
    this.#query = query
    query.slabs.push(this)
    this.#bytes.set(query.bits, QUERY_BITS)
    this.#queryCodes.set(query.codes)
    this.#floats.set(query.numbers, QUERY_NUMBERS / 4)
    this.counts.fill(0)
  }
}

const COLUMNS = [
  [BITS, BIT_BYTES],
  [LENGTHS, 4],
  [COMMONS, 4],
  [STEPS, 4],
  [CODES, DIMENSIONS],
] as const
