import { createHash } from 'node:crypto'

/** Number of components that identify a model: no two models share them, and rounding changes at most one. */
const TRAITS = 16
/** Least cosine of vectors from the same weights, on other hardware or in half precision; other weights rarely reach it. */
const SAME = 0.98

/** A short name for weights, from what the server says about them or from a vector. */
export const fingerprintOf = (...named: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 16)

/**
 * Identifies a model by the vector of a known text: its largest components and their signs. They are the same at every
 * address, and on machines that round differently.
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
