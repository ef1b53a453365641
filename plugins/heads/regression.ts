import { addTo, type Input, scores, softmax } from './inputs.ts'
import { minimise } from './minimise.ts'

/** Inputs with the numbers of their labels. */
export interface Labelled {
  readonly inputs: readonly Input[]
  readonly truths: readonly number[]
}

export interface Fitted {
  readonly weights: readonly Float64Array[]
  readonly biases: Float64Array
}

/**
 * Multinomial logistic regression: minimises the mean log loss plus `l2 / 2` times the squared weights. The problem is
 * convex and begins at zero, so the result follows from the data alone.
 */
export function fit({ inputs, truths }: Labelled, labels: number, columns: number, l2: number): Fitted {
  const width = columns + 1
  const parts = (all: Float64Array): Fitted => {
    const rows = Array.from({ length: labels }, (_, label) => all.subarray(label * width, (label + 1) * width))
    return {
      weights: rows.map(row => row.subarray(0, columns)),
      biases: Float64Array.from(rows, row => row[columns] ?? 0),
    }
  }
  const objective = (at: Float64Array): { value: number; gradient: Float64Array } => {
    const gradient = new Float64Array(at.length)
    const { weights, biases } = parts(at)
    const share = 1 / inputs.length
    let value = 0
    inputs.forEach((input, number) => {
      const probabilities = softmax(scores(weights, biases, input))
      const truth = truths[number] ?? 0
      value -= Math.log(Math.max(probabilities[truth] ?? 0, Number.MIN_VALUE)) * share
      for (let label = 0; label < labels; label++) {
        const error = ((probabilities[label] ?? 0) - (label === truth ? 1 : 0)) * share
        const row = gradient.subarray(label * width, (label + 1) * width)
        addTo(row, input, error)
        row[columns] = (row[columns] as number) + error
      }
    })
    weights.forEach((row, label) => {
      for (let column = 0; column < columns; column++) {
        const weight = row[column] as number
        value += (l2 / 2) * weight * weight
        gradient[label * width + column] = (gradient[label * width + column] as number) + l2 * weight
      }
    })
    return { value, gradient }
  }
  return parts(minimise(objective, labels * width))
}
