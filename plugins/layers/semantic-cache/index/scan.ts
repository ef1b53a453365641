/**
 * Two loops in WebAssembly SIMD, because plain JavaScript takes 13 ms for what they do in a fraction of one: Hamming
 * distances of sign bits, and dot products of int8 vectors. The module is put together here, byte by byte, from a few
 * dozen instructions; there is no build step and no blob.
 */

/** Dimensions of a vector; both loops are unrolled for it. */
export const DIMENSIONS = 384
export const BIT_BYTES = DIMENSIONS / 8

export interface Scan {
  readonly memory: WebAssembly.Memory
  /** For `count` rows of sign bits from address `rows` on: how many bits differ from those at `query`, as u16 at `out`. */
  hamming(rows: number, count: number, query: number, out: number): void
  /** For `count` addresses (u32, at `list`) of int8 vectors: the dot product with the one at `query`, as i32 at `out`. */
  dots(list: number, count: number, query: number, out: number): void
}

const I32 = 0x7f
const V128 = 0x7b
const simd = (op: number): number[] => [0xfd, ...leb(op)]
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const constant = (value: number): number[] => [0x41, ...signedLeb(value)]
const load = (offset: number): number[] => [...simd(0x00), 0, ...leb(offset)]
const ADD = [0x6a]
const XOR = simd(0x51)
const POPCOUNT = simd(0x62)
const ADD_I8 = simd(0x6e)
const ADD_I16 = simd(0x8e)
const ADD_I32 = simd(0xae)
/** Sums of neighbouring lanes, in lanes of twice the width. */
const PAIRS_U8 = simd(0x7d)
const PAIRS_S16 = simd(0x7e)
const PAIRS_U16 = simd(0x7f)
const MULTIPLY_LOW = simd(0x9c)
const MULTIPLY_HIGH = simd(0x9d)
const lane = (i: number): number[] => [...simd(0x1b), i]
const advance = (local: number, by: number): number[] => [...get(local), ...constant(by), ...ADD, ...set(local)]
const sumOf = (vector: number): number[] =>
  [0, 1, 2, 3].flatMap(i => [...get(vector), ...lane(i), ...(i > 0 ? ADD : [])])

/** `while (count--) body`, the count in local 1. */
const times = (body: readonly number[]): number[] => [
  ...[0x02, 0x40, 0x03, 0x40], // block, loop
  ...[...get(1), 0x45, 0x0d, 1], // br_if out when the count is 0
  ...body,
  ...advance(1, -1),
  ...[0x0c, 0, 0x0b, 0x0b], // again; end, end
]

const [ROWS, , QUERY, OUT] = [0, 1, 2, 3]

function hammingBody(): number[] {
  const query = [4, 5, 6]
  const sum = 7
  return [
    ...query.flatMap((local, i) => [...get(QUERY), ...load(16 * i), ...set(local)]),
    ...times([
      ...query.flatMap((local, i) => [
        ...[...get(ROWS), ...load(16 * i), ...get(local), ...XOR, ...POPCOUNT],
        ...(i > 0 ? ADD_I8 : []),
      ]),
      ...[...PAIRS_U8, ...PAIRS_U16, ...set(sum)],
      ...[...get(OUT), ...sumOf(sum), 0x3b, 1, 0], // i32.store16
      ...[...advance(ROWS, BIT_BYTES), ...advance(OUT, 2)],
    ]),
  ]
}

function dotsBody(): number[] {
  const [row, sum, left, right] = [4, 5, 6, 7]
  const chunks = Array.from({ length: DIMENSIONS / 16 }, (_, i) => 16 * i)
  return times([
    ...[...get(ROWS), 0x28, 2, 0, ...set(row)], // i32.load
    ...[...simd(0x0c), ...new Array<number>(16).fill(0), ...set(sum)],
    ...chunks.flatMap(offset => [
      ...[...get(row), ...load(offset), ...set(left), ...get(QUERY), ...load(offset), ...set(right)],
      // Codes are within 127, so two products fit one i16.
      ...[...get(left), ...get(right), ...MULTIPLY_LOW, ...get(left), ...get(right), ...MULTIPLY_HIGH, ...ADD_I16],
      ...[...PAIRS_S16, ...get(sum), ...ADD_I32, ...set(sum)],
    ]),
    ...[...get(OUT), ...sumOf(sum), 0x36, 2, 0], // i32.store
    ...[...advance(ROWS, 4), ...advance(OUT, 4)],
  ])
}

const section = (id: number, bytes: readonly number[]): number[] => [id, ...leb(bytes.length), ...bytes]
const listOf = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()]
const text = (name: string): number[] => [...leb(name.length), ...Buffer.from(name)]
function body(locals: readonly (readonly [count: number, type: number])[], code: readonly number[]): number[] {
  const bytes = [...listOf(locals.map(([count, type]) => [count, type])), ...code, 0x0b]
  return [...leb(bytes.length), ...bytes]
}

const MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, listOf([[0x60, ...listOf([[I32], [I32], [I32], [I32]]), 0]])),
  ...section(3, listOf([[0], [0]])),
  ...section(5, listOf([[0, 1]])),
  ...section(
    7,
    listOf([
      [...text('memory'), 2, 0],
      [...text('hamming'), 0, 0],
      [...text('dots'), 0, 1],
    ]),
  ),
  ...section(
    10,
    listOf([
      body([[4, V128]], hammingBody()),
      body(
        [
          [1, I32],
          [3, V128],
        ],
        dotsBody(),
      ),
    ]),
  ),
])

/** A fresh instance with a memory of its own; `undefined` where the processor or the engine has no SIMD. */
export function newScan(): Scan | undefined {
  if (!WebAssembly.validate(MODULE)) return undefined
  const { memory, hamming, dots } = new WebAssembly.Instance(new WebAssembly.Module(MODULE)).exports
  if (!(memory instanceof WebAssembly.Memory) || typeof hamming !== 'function' || typeof dots !== 'function')
    return undefined
  return { memory, hamming: hamming as Scan['hamming'], dots: dots as Scan['dots'] }
}

function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest & 0x7f
    rest >>>= 7
    bytes.push(rest === 0 ? low : low | 0x80)
  } while (rest !== 0)
  return bytes
}

function signedLeb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (;;) {
    const low = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}
