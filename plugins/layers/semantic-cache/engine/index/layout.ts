/** Where things stand in a memory that the loops of `scan.ts` work on: a head, then blocks of rows. All in bytes. */

/** Dimensions of a vector; the loops of `scan.ts` are unrolled for it. */
export const DIMENSIONS = 384
export const BIT_BYTES = DIMENSIONS / 8
/** Rows of a block: what is taken at once, so few that small partitions waste little. */
export const ROWS = 64
/** Estimates are whole numbers below this one: cosines from -1 to 1. */
export const GRADES = 2048

/** Parts of a block, each a column. */
export const BITS = 0
/** How long the row is beside the centre. */
export const LENGTHS = BITS + ROWS * BIT_BYTES
/** The part of the row's cosine that is the centre's. */
export const COMMONS = LENGTHS + 4 * ROWS
/** What one unit of its codes means. */
export const STEPS = COMMONS + 4 * ROWS
export const ESTIMATES = STEPS + 4 * ROWS
export const CODES = ESTIMATES + 2 * ROWS
export const BLOCK_BYTES = CODES + ROWS * DIMENSIONS

/** The query, at the beginning of the memory: sign bits, codes (i16) and four numbers (f32). */
export const QUERY_BITS = 0
export const QUERY_CODES = 64
export const QUERY_NUMBERS = QUERY_CODES + 2 * DIMENSIONS
export const [BASE, SAME, EACH, STEP] = [
  QUERY_NUMBERS,
  QUERY_NUMBERS + 4,
  QUERY_NUMBERS + 8,
  QUERY_NUMBERS + 12,
] as const
/** What is found: rows of the block just picked from, and their cosine less what is the same for all. */
export const FOUND_ROWS = QUERY_NUMBERS + 64
export const FOUND_VALUES = FOUND_ROWS + 4 * ROWS
/** How many rows were given each estimate. */
export const COUNTS = FOUND_VALUES + 4 * ROWS
export const HEAD = COUNTS + 4 * GRADES

/** Blocks in one memory. What is never written to takes no memory of the machine. */
export const BLOCKS = 512
export const MEMORY_BYTES = HEAD + BLOCKS * BLOCK_BYTES
