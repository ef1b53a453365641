import { z } from 'zod'
import type { Likeness } from './likeness.ts'

const length = z.number().int().positive()
/** Lengths of the arrays that a file holds, one behind the other in this order. */
const arraysOf = z.object({
  after: length,
  aligned: length,
  before: length,
  bias: length,
  difference: length,
  distance: length,
  last: length,
  last_bias: length,
  out: length,
  out_bias: length,
  own: length,
  product: length,
  same: length,
  scales: length,
  sharpness: length,
})
type Name = keyof z.infer<typeof arraysOf>

/** What the file begins with. */
const headFile = z.object({
  /** Numbers of a piece's row, and of what a comparison gives. */
  width: length,
  hidden: length,
  /** Below this probability a pair is refused. */
  least: z.number().min(0).max(1),
  /** Behind them are the rows of the pieces, with 8 bits a number. */
  arrays: arraysOf,
})

const BYTES = 4

/** A prompt's pieces as the screen reads them, a row each. */
interface Rows {
  readonly pieces: readonly number[]
  readonly different: ReadonlySet<number>
  readonly rows: Float32Array
  /** What a row brings into its comparison, as itself and as what another is aligned with. */
  readonly own: Float32Array
  readonly aligned: Float32Array
}

/** What the pieces of one prompt say beside the other: for each hidden number their sum, and the largest. */
interface Sums {
  readonly sum: Float32Array
  readonly most: Float32Array
}

/**
 * Decomposable attention: each piece is set beside those of the other prompt that mean most the same, and what comes of it is
 * added up. It takes a tenth of the pair model's time, and guesses what that would say.
 */
export class Screen {
  readonly least: number
  readonly #width: number
  readonly #hidden: number
  readonly #arrays: Readonly<Record<Name, Float32Array>>
  readonly #coded: Int8Array
  readonly #read = new WeakMap<readonly number[], Rows>()

  /** Throws where `file` is not all of a screen. */
  constructor(file: Uint8Array) {
    // A copy, because a file's bytes may begin anywhere.
    const { buffer } = Uint8Array.from(file)
    const start = BYTES + new DataView(buffer).getUint32(0, true)
    const { width, hidden, least, arrays } = headFile.parse(
      JSON.parse(new TextDecoder().decode(buffer.slice(BYTES, start))),
    )
    const numbers = Object.values(arrays).reduce((sum, length) => sum + length, 0)
    let from = start + BYTES * numbers
    this.#coded = new Int8Array(buffer.slice(from))
    if (this.#coded.length !== width * arrays.scales) throw new Error(`a screen of ${file.length} bytes is not whole`)
    from = start
    const found = Object.entries(arrays).map(([name, length]) => {
      from += BYTES * length
      return [name, new Float32Array(buffer.slice(from - BYTES * length, from))]
    })
    this.#arrays = Object.fromEntries(found) as Record<Name, Float32Array> // the head names all of them
    this.#width = width
    this.#hidden = hidden
    this.least = least
  }

  /** About the probability that the pair model would give. The same both ways round. */
  probability(one: readonly number[], other: readonly number[], { shared, contained, length }: Likeness): number {
    const [a, b] = [this.#rowsOf(one), this.#rowsOf(other)]
    const { last, last_bias, out, out_bias } = this.#arrays
    const [left, right] = [this.#compared(a, b), this.#compared(b, a)]
    let both = 0
    for (const piece of a.different) if (b.different.has(piece)) both++
    const [mine, theirs] = [a.different.size, b.different.size]
    const pieces = [(mine + theirs - 2 * both) / 8, Math.abs(mine - theirs) / 8, (one.length + other.length) / 32]
    const inputs = new Float32Array(last.length / out.length)
    for (let k = 0; k < this.#hidden; k++) {
      const [x, y] = [at(left.sum, k), at(right.sum, k)]
      inputs[k] = (x + y) / 5
      inputs[this.#hidden + k] = Math.abs(x - y) / 5
      inputs[2 * this.#hidden + k] = Math.max(at(left.most, k), at(right.most, k))
    }
    inputs.set([shared, contained, length, ...pieces], 3 * this.#hidden)
    let logit = at(out_bias, 0)
    for (let k = 0; k < out.length; k++)
      logit += Math.max(0, at(last_bias, k) + dot(inputs, 0, last, k, inputs.length)) * at(out, k)
    return 1 / (1 + Math.exp(-logit))
  }

  /** Kept for as long as the pieces are. */
  #rowsOf(pieces: readonly number[]): Rows {
    const before = this.#read.get(pieces)
    if (before) return before
    const [width, hidden, arrays] = [this.#width, this.#hidden, this.#arrays]
    const rows = new Float32Array(pieces.length * width)
    const own = new Float32Array(pieces.length * hidden)
    const aligned = new Float32Array(pieces.length * hidden)
    for (let i = 0; i < pieces.length; i++) {
      for (let k = 0; k < width; k++) {
        // Each takes a little of the pieces beside it.
        const x =
          this.#number(pieces[i], k) +
          at(arrays.before, k) * this.#number(pieces[i - 1], k) +
          at(arrays.after, k) * this.#number(pieces[i + 1], k)
        rows[i * width + k] = x
      }
      for (let k = 0; k < hidden; k++) {
        own[i * hidden + k] = at(arrays.bias, k) + dot(rows, i, arrays.own, k, width)
        aligned[i * hidden + k] = dot(rows, i, arrays.aligned, k, width)
      }
    }
    const found = { pieces, different: new Set(pieces), rows, own, aligned }
    this.#read.set(pieces, found)
    return found
  }

  /** Of a piece's row. */
  #number(piece: number | undefined, k: number): number {
    if (piece === undefined) return 0
    return (this.#coded[piece * this.#width + k] ?? 0) * at(this.#arrays.scales, piece)
  }

  #compared(mine: Rows, other: Rows): Sums {
    const [width, hidden, arrays] = [this.#width, this.#hidden, this.#arrays]
    const [sum, most] = [new Float32Array(hidden), new Float32Array(hidden)]
    const [row, difference, product] = [new Float32Array(width), new Float32Array(width), new Float32Array(width)]
    const weights = new Float32Array(other.pieces.length)
    for (let i = 0; i < mine.pieces.length; i++) {
      this.#align(mine, i, other, weights)
      row.fill(0)
      for (let j = 0; j < weights.length; j++) addTimes(row, at(weights, j), other.rows, j)
      for (let k = 0; k < width; k++) {
        const x = at(mine.rows, i * width + k)
        difference[k] = Math.abs(x - at(row, k))
        product[k] = x * at(row, k)
      }
      const same = other.different.has(mine.pieces[i] ?? 0) ? 1 : 0
      for (let k = 0; k < hidden; k++) {
        let x = at(mine.own, i * hidden + k) + same * at(arrays.same, k)
        for (let j = 0; j < weights.length; j++) x += at(weights, j) * at(other.aligned, j * hidden + k)
        x += dots(difference, arrays.difference, product, arrays.product, k)
        sum[k] = at(sum, k) + Math.max(0, x)
        most[k] = Math.max(x, at(most, k))
      }
    }
    return { sum, most }
  }

  /** How much of each piece of the other prompt stands beside piece `i` of this one: 1 in all. */
  #align(mine: Rows, i: number, other: Rows, weights: Float32Array): void {
    const [sharpness, distance] = [at(this.#arrays.sharpness, 0), at(this.#arrays.distance, 0)]
    let highest = Number.NEGATIVE_INFINITY
    for (let j = 0; j < weights.length; j++) {
      const apart = Math.abs(i / mine.pieces.length - j / weights.length)
      const score = sharpness * dot(mine.rows, i, other.rows, j, this.#width) - distance * apart
      weights[j] = score
      highest = Math.max(highest, score)
    }
    let all = 0
    for (let j = 0; j < weights.length; j++) {
      const power = Math.exp(at(weights, j) - highest)
      weights[j] = power
      all += power
    }
    for (let j = 0; j < weights.length; j++) weights[j] = at(weights, j) / all
  }
}

/** All indices here are within, which the lengths in the file say. */
const at = (some: Float32Array, i: number): number => some[i] as number

/** Of row `i` of one and row `j` of the other. */
function dot(one: Float32Array, i: number, other: Float32Array, j: number, width: number): number {
  let sum = 0
  for (let k = 0; k < width; k++) sum += at(one, i * width + k) * at(other, j * width + k)
  return sum
}

/** Of two rows, each with row `k` of its weights. One loop, because the processor then waits for half as many sums. */
function dots(x: Float32Array, ofX: Float32Array, y: Float32Array, ofY: Float32Array, k: number): number {
  const start = k * x.length
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += at(x, i) * at(ofX, start + i) + at(y, i) * at(ofY, start + i)
  return sum
}

/** Adds row `j` of `rows`, times `x`. */
function addTimes(sum: Float32Array, x: number, rows: Float32Array, j: number): void {
  const start = j * sum.length
  for (let k = 0; k < sum.length; k++) sum[k] = at(sum, k) + x * at(rows, start + k)
}
