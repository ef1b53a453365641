import type { Artifact } from './artifact.ts'
import { shapeOf, wordsOf } from './shape.ts'

/** Which columns the inputs of a classifier have. */
export type Layout = Pick<Artifact, 'dimensions' | 'shape' | 'words'>

/**
 * How much vector and words count beside the shape, whose features have deviation 1; by cross-validation. A vector of unit
 * length has numbers of about `1 / sqrt(dimensions)`.
 */
const VECTOR = 0.5
const WORD = 2

/** Adds an input, so many times, to a row of weights. */
export function addTo(row: Float64Array, { dense, present }: Input, times: number): void {
  for (let at = 0; at < dense.length; at++) row[at] = (row[at] as number) + times * (dense[at] as number)
  for (const column of present) row[column] = (row[column] as number) + times * WORD
}

/** The input of one text: dense numbers, and the columns of the words that it has. */
export interface Input {
  readonly dense: Float64Array
  /** Each counts `WORD`. */
  readonly present: readonly number[]
}

/** Turns texts with their vectors into inputs. */
export function inputsOf({ dimensions, shape, words }: Layout): (vector: Float32Array, text: string) => Input {
  const names = shape.map(({ name }) => name)
  const columns = new Map(words.map((word, at) => [word, dimensions + shape.length + at]))
  const factor = VECTOR * Math.sqrt(dimensions)
  return (vector, text) => {
    if (vector.length !== dimensions) throw new Error(`a vector has ${vector.length} dimensions, not ${dimensions}`)
    const dense = new Float64Array(dimensions + shape.length)
    for (let at = 0; at < dimensions; at++) dense[at] = (vector[at] ?? 0) * factor
    if (names.length > 0)
      shapeOf(text, names).forEach((value, at) => {
        const { mean = 0, scale = 1 } = shape[at] ?? {}
        dense[dimensions + at] = (value - mean) / scale
      })
    const present = words.length === 0 ? [] : [...wordsOf(text)].flatMap(word => columns.get(word) ?? [])
    return { dense, present }
  }
}

/** The scores of labels: one for each row of weights. */
export function scores(
  weights: readonly ArrayLike<number>[],
  biases: ArrayLike<number>,
  { dense, present }: Input,
): Float64Array {
  const result = new Float64Array(weights.length)
  weights.forEach((row, label) => {
    let sum = biases[label] ?? 0
    for (let at = 0; at < dense.length; at++) sum += (row[at] as number) * (dense[at] as number)
    for (const column of present) sum += WORD * (row[column] ?? 0)
    result[label] = sum
  })
  return result
}

/** Probabilities of the scores, which are divided by `temperature` first. */
export function softmax(of: Float64Array, temperature = 1): Float64Array {
  const most = of.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const powers = of.map(score => Math.exp((score - most) / temperature))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map(power => power / sum)
}

/** Where the largest number stands. */
export const largest = (of: Float64Array): number =>
  of.reduce((best, value, at) => (value > (of[best] ?? 0) ? at : best), 0)
