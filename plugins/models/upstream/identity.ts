import { createHash } from 'node:crypto'

/** How many of a vector's components tell it: no two models share them, and only one boundary can be crossed by rounding. */
const TRAITS = 16
/** Vectors of the same weights on other hardware, or in half precision, are nearer than this; of others hardly ever. */
const SAME = 0.98

/** A name for weights that fits into a key: of what the server says they are, or of a vector. */
export const fingerprintOf = (...named: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 16)

/**
 * What a model shows of itself in the vector of a known text: which components are the largest, and their signs. It is the
 * same behind every address, and on machines that round differently.
 */
export function traitsOf(vector: Float32Array): readonly number[] {
  return [...vector.keys()]
    .sort((a, b) => Math.abs(vector[b] ?? 0) - Math.abs(vector[a] ?? 0))
    .slice(0, TRAITS)
    .map(place => ((vector[place] ?? 0) < 0 ? -place - 1 : place + 1))
    .sort((a, b) => a - b)
}

/** Do two vectors of one text come from the same weights? */
export const sameModel = (one: Float32Array, other: Float32Array): boolean =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0) > SAME
