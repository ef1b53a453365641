import { BIT_BYTES, DIMENSIONS, GRADES } from './layout.ts'

/** Largest codes: a row's fit a byte, a question's fit 16 bits and their products' sum 32. */
export const ROW_CODE = 127
const QUERY_CODE = 2047

/** Rows whose estimate is this many standard deviations too low are lost: one in some thousands of those at the limit. */
const DEVIATIONS = 3.5

/**
 * How far below a cosine its estimate may lie. Signs differ by chance, and more so at greater angles; that the sine was
 * taken as straight makes up for some of it. How much of a cosine is the angle's and how much the centre's, nobody knows
 * beforehand: the worst share counts.
 */
function errorMargin(cosine: number, signs: number): number {
  let worst = 1 / GRADES
  for (let percent = 5; percent <= 100; percent += 5) {
    const share = percent / 100
    const straight = Math.max(-1, Math.min(1, (cosine - 1 + share) / share))
    const angle = Math.acos(straight)
    const differing = angle / Math.PI
    const deviation = Math.PI * Math.sqrt((differing * (1 - differing)) / signs)
    worst = Math.max(worst, share * (DEVIATIONS * deviation - (Math.PI / 2 - angle - straight)))
  }
  return worst
}
/** The limit is a setting and stays what it is, and so does a partition's centre. */
let margin = { cosine: Number.NaN, signs: 0, by: 0 }

/** More than rounding to codes ever takes from a cosine. */
const CODE_ERROR = 0.02

/** The vector of a search, prepared for the loops of `scan.ts`. */
export class Query {
  readonly bits = new Uint8Array(BIT_BYTES)
  readonly codes = new Int16Array(DIMENSIONS)
  readonly numbers: Float32Array
  /** The least estimate, and the least value by codes, of a row whose cosine may be enough. */
  readonly leastEstimate: number
  readonly leastValue: number
  /** The slabs that hold a copy of this query. */
  readonly slabs: { readonly counts: Uint32Array }[] = []

  /** `least` is the cosine that is enough, `signs` how many of the signs say something of their own. */
  constructor(
    vector: Float32Array,
    centre: Float32Array,
    { least, signs }: { readonly least: number; readonly signs: number },
  ) {
    const { length, largest, common, centreSquare } = relate(vector, centre, this.bits, 0)
    const step = largest / QUERY_CODE
    for (let i = 0; i < DIMENSIONS; i++)
      this.codes[i] = Math.round(((vector[i] as number) - (centre[i] as number)) / step)
    // Of two directions, the share of signs that differ is their angle's share of a half turn; the sine of what is
    // missing to a right angle is taken as straight, which it nearly is where it matters.
    const half = GRADES / 2
    const each = (half * length * Math.PI) / DIMENSIONS
    this.numbers = Float32Array.of(half * (1 + common - centreSquare), (each * DIMENSIONS) / 2, each, step)
    if (margin.cosine !== least || margin.signs !== signs)
      margin = { cosine: least, signs, by: errorMargin(least, signs) }
    this.leastEstimate = half * (1 + least - margin.by) - 1
    this.leastValue = least - (common - centreSquare) - CODE_ERROR
  }
}

export interface Relation {
  /** Of what is left of the vector beside the centre: its length, and its largest component, without signs. */
  readonly length: number
  readonly largest: number
  /** Dot products of the centre with the vector and with itself. */
  readonly common: number
  readonly centreSquare: number
}

/** How a vector lies as seen from the centre; the signs of what is left are written as bits. */
export function relate(vector: Float32Array, centre: Float32Array, bits: Uint8Array, at: number): Relation {
  let square = 0
  let largest = 1e-9
  let common = 0
  let centreSquare = 0
  for (let byte = 0; byte < BIT_BYTES; byte++) {
    let signs = 0
    for (let bit = 0; bit < 8; bit++) {
      // Indices are within; a cast, unlike `?? 0`, boxes no numbers.
      const value = vector[8 * byte + bit] as number
      const middle = centre[8 * byte + bit] as number
      const rest = value - middle
      if (rest > 0) signs |= 1 << bit
      square += rest * rest
      largest = Math.max(largest, Math.abs(rest))
      common += value * middle
      centreSquare += middle * middle
    }
    bits[at + byte] = signs
  }
  return { length: Math.sqrt(square), largest, common, centreSquare }
}
