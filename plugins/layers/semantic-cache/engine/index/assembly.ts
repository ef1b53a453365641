/**
 * The instructions of WebAssembly that `scan.ts` is written in, as functions that give their bytes: an operand stands
 * inside its operator, as in any language, though a stack machine wants it before. Numbers are those of the standard.
 */
export type Code = readonly number[]

export const I32 = 0x7f
export const I64 = 0x7e
export const F32 = 0x7d
export const V128 = 0x7b

const unary =
  (...op: number[]) =>
  (a: Code): Code => [...a, ...op]
const binary =
  (...op: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...op]
const load =
  (...op: number[]) =>
  (address: Code, offset = 0): Code => [...address, ...op, 0, ...leb(offset)]
const store =
  (...op: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [...address, ...value, ...op, 0, ...leb(offset)]
const simd = (op: number): number[] => [0xfd, ...leb(op)]

export const get = (local: number): Code => [0x20, ...leb(local)]
export const set = (local: number, value: Code): Code => [...value, 0x21, ...leb(local)]

export const i32 = {
  const: (value: number): Code => [0x41, ...signedLeb(value)],
  load: load(0x28),
  store: store(0x36),
  store16: store(0x3b),
  isZero: unary(0x45),
  lessThan: binary(0x49),
  trailingZeros: unary(0x68),
  add: binary(0x6a),
  multiply: binary(0x6c),
  and: binary(0x71),
  shiftRight: binary(0x76),
  ofI64: unary(0xa7),
  /** Cut to a whole number; what is below zero is zero. */
  ofF32: unary(0xfc, 0x01),
}

export const i64 = { load: load(0x29), ones: unary(0x7b), add: binary(0x7c), xor: binary(0x85) }

export const f32 = {
  const: (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  load: load(0x2a),
  store: store(0x38),
  add: binary(0x92),
  subtract: binary(0x93),
  multiply: binary(0x94),
  least: binary(0x96),
  ofI32: unary(0xb2),
}

export const v128 = {
  zero: [...simd(12), ...new Array<number>(16).fill(0)],
  load: load(...simd(0)),
  /** Eight int8, each in a lane of 16 bits. */
  loadWidened: load(...simd(1)),
  /** One number in all lanes of 16 bits. */
  splat16: unary(...simd(16)),
  /** Which lanes of 16 bits are at least those of the other, unsigned. */
  atLeast16: binary(...simd(0x36)),
  /** A bit for each lane of 16 bits. */
  bits16: unary(...simd(0x84)),
  /** Products of lanes of 16 bits, added in pairs, in lanes of 32. */
  dot16: binary(...simd(0xba)),
  add32: binary(...simd(0xae)),
  sum32: (local: number): Code =>
    [0, 1, 2, 3].map((i): Code => [...get(local), ...simd(0x1b), i]).reduce((a, b) => i32.add(a, b)),
}

/** Again and again while the condition, an i32, is not zero. `leave` and `again` work right inside `body`. */
export const loop = (condition: Code, body: readonly Code[]): Code => [
  ...[0x02, 0x40, 0x03, 0x40], // a block to leave, a loop to repeat
  ...[...i32.isZero(condition), 0x0d, 1],
  ...body.flat(),
  ...[0x0c, 0, 0x0b, 0x0b],
]
/** To the next round of the loop where the condition is zero. */
export const unless = (condition: Code): Code => [...i32.isZero(condition), 0x0d, 0]

export interface Function {
  readonly name: string
  /** Types of what is handed in, what is handed back, and what else is kept meanwhile. */
  readonly takes: readonly number[]
  readonly gives: readonly number[]
  readonly locals: readonly number[]
  readonly body: readonly Code[]
}

/** A module that exports its memory, of so many pages, and the functions. */
export function assemble(functions: readonly Function[], pages: number): Uint8Array {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(functions.map(({ takes, gives }) => [0x60, ...list(takes.map(one)), ...list(gives.map(one))]))),
    ...section(3, list(functions.map((_, i) => leb(i)))),
    ...section(5, list([[1, ...leb(pages), ...leb(pages)]])),
    ...section(7, list([[...text('memory'), 2, 0], ...functions.map(({ name }, i) => [...text(name), 0, ...leb(i)])])),
    ...section(10, list(functions.map(({ locals, body }) => bodyOf(locals, body)))),
  ])
}

const one = (value: number): Code => [value]
const list = (items: readonly Code[]): Code => [...leb(items.length), ...items.flat()]
const section = (id: number, bytes: Code): Code => [id, ...leb(bytes.length), ...bytes]
const text = (name: string): Code => [...leb(name.length), ...Buffer.from(name)]
function bodyOf(locals: readonly number[], body: readonly Code[]): Code {
  const bytes = [...list(locals.map(type => [1, type])), ...body.flat(), 0x0b]
  return [...leb(bytes.length), ...bytes]
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
