import { assemble, type Code, F32, f32, get, I32, I64, i32, i64, loop, set, unless, V128, v128 } from './assembly.ts'
import {
  BASE,
  BIT_BYTES,
  BITS,
  CODES,
  COMMONS,
  COUNTS,
  DIMENSIONS,
  EACH,
  ESTIMATES,
  FOUND_ROWS,
  FOUND_VALUES,
  GRADES,
  LENGTHS,
  MEMORY_BYTES,
  QUERY_BITS,
  QUERY_CODES,
  SAME,
  STEP,
  STEPS,
} from './layout.ts'

/**
 * Two loops in WebAssembly, because plain JavaScript takes 8 ms for what they do in a fraction of one. They work on
 * *blocks* of rows in a memory of fixed size; `slab.ts` writes those. The module is put together here, at the start,
 * from a few dozen instructions; there is no build step and no blob.
 */
export interface Scan {
  readonly memory: WebAssembly.Memory
  /** Estimates, from sign bits, how near each of a block's first `count` rows is; writes that and counts it. */
  score(block: number, count: number): void
  /** Measures by codes those of the first `count` rows whose estimate is `least` or more, and says how many. */
  measure(block: number, count: number, least: number): number
}

const ZERO = i32.const(0)
const advance = (local: number, by: number): Code => set(local, i32.add(get(local), i32.const(by)))
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** score = BASE + GRADES/2 · common + length · (SAME - EACH · bits that differ) */
function scoreBody(): Code[] {
  const [bits, count, figures, estimate, place] = [0, 1, 2, 3, 4]
  const [base, same, each] = [5, 6, 7]
  const queryBits = range(BIT_BYTES / 8).map(i => 8 + i)
  const differing = queryBits
    .map((local, i) => i64.ones(i64.xor(i64.load(get(bits), BITS + 8 * i), get(local))))
    .reduce((a, b) => i64.add(a, b))
  const likeness = f32.subtract(get(same), f32.multiply(get(each), f32.ofI32(i32.ofI64(differing))))
  const common = f32.multiply(f32.load(get(figures), COMMONS), f32.const(GRADES / 2))
  const score = f32.add(f32.add(get(base), common), f32.multiply(f32.load(get(figures), LENGTHS), likeness))
  return [
    set(figures, get(bits)),
    set(estimate, get(bits)),
    ...[base, same, each].map((local, i) => set(local, f32.load(ZERO, [BASE, SAME, EACH][i]))),
    ...queryBits.map((local, i) => set(local, i64.load(ZERO, QUERY_BITS + 8 * i))),
    loop(get(count), [
      set(place, i32.ofF32(f32.least(score, f32.const(GRADES - 1)))),
      i32.store16(get(estimate), get(place), ESTIMATES),
      set(place, i32.multiply(get(place), i32.const(4))),
      i32.store(get(place), i32.add(i32.load(get(place), COUNTS), i32.const(1)), COUNTS),
      ...[advance(bits, BIT_BYTES), advance(figures, 4), advance(estimate, 2), advance(count, -1)],
    ]),
  ]
}

function measureBody(): Code[] {
  const [block, count, least, from, mask, row, at, found, sum, bar] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  const dot = range(DIMENSIONS / 8).map(i =>
    set(
      sum,
      v128.add32(get(sum), v128.dot16(v128.loadWidened(get(at), CODES + 8 * i), v128.load(ZERO, QUERY_CODES + 16 * i))),
    ),
  )
  const figures = i32.add(get(block), i32.multiply(get(row), i32.const(4)))
  const value = f32.add(
    f32.multiply(f32.multiply(f32.ofI32(v128.sum32(sum)), f32.load(ZERO, STEP)), f32.load(figures, STEPS)),
    f32.load(figures, COMMONS),
  )
  return [
    set(bar, v128.splat16(get(least))),
    loop(i32.lessThan(get(from), get(count)), [
      set(at, i32.add(get(block), i32.multiply(get(from), i32.const(2)))),
      set(mask, v128.bits16(v128.atLeast16(v128.load(get(at), ESTIMATES), get(bar)))),
      loop(get(mask), [
        set(row, i32.add(get(from), i32.trailingZeros(get(mask)))),
        set(mask, i32.and(get(mask), i32.add(get(mask), i32.const(-1)))),
        unless(i32.lessThan(get(row), get(count))),
        set(at, i32.add(get(block), i32.multiply(get(row), i32.const(DIMENSIONS)))),
        set(sum, v128.zero),
        ...dot,
        i32.store(get(found), get(row), FOUND_ROWS),
        f32.store(get(found), value, FOUND_VALUES),
        advance(found, 4),
      ]),
      advance(from, 8),
    ]),
    i32.shiftRight(get(found), i32.const(2)),
  ]
}

const words = (type: number, count: number): number[] => new Array<number>(count).fill(type)

const MODULE = assemble(
  [
    {
      name: 'score',
      takes: words(I32, 2),
      gives: [],
      locals: [...words(I32, 3), ...words(F32, 3), ...words(I64, BIT_BYTES / 8)],
      body: scoreBody(),
    },
    {
      name: 'measure',
      takes: words(I32, 3),
      gives: [I32],
      locals: [...words(I32, 5), ...words(V128, 2)],
      body: measureBody(),
    },
  ],
  Math.ceil(MEMORY_BYTES / 65_536),
)

let compiled: WebAssembly.Module | undefined

/** A fresh instance with a memory of its own; `undefined` where there is no SIMD, or no room for one more memory. */
export function newScan(): Scan | undefined {
  if (!compiled && !WebAssembly.validate(MODULE)) return undefined
  compiled ??= new WebAssembly.Module(MODULE)
  try {
    const { memory, score, measure } = new WebAssembly.Instance(compiled).exports
    if (!(memory instanceof WebAssembly.Memory) || typeof score !== 'function' || typeof measure !== 'function')
      return undefined
    return { memory, score: score as Scan['score'], measure: measure as Scan['measure'] }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
