import { FEATURES } from './features.ts'

/** A small network, 25-16-1: what `npm run model:verifier` writes. */
export interface VerifierWeights {
  /** Names of the inputs, in order: weights of another list of features are refused. */
  readonly features: readonly string[]
  readonly mean: readonly number[]
  readonly scale: readonly number[]
  /** One row of inputs and a bias for each hidden unit. */
  readonly hidden: readonly (readonly number[])[]
  readonly output: readonly number[]
}

/** The probability that two prompts have one answer, from their features. */
export class Verifier {
  readonly #weights: VerifierWeights

  constructor(weights: VerifierWeights) {
    if (weights.features.join() !== FEATURES.join()) throw new Error('the verifier was trained on other features')
    this.#weights = weights
  }

  probability(features: readonly number[]): number {
    const { mean, scale, hidden, output } = this.#weights
    const inputs = features.map((value, i) => (value - (mean[i] ?? 0)) / (scale[i] ?? 1))
    let sum = output[hidden.length] ?? 0
    for (const [h, row] of hidden.entries()) {
      let unit = row[inputs.length] ?? 0
      for (let i = 0; i < inputs.length; i++) unit += (row[i] ?? 0) * (inputs[i] ?? 0)
      sum += (output[h] ?? 0) * Math.tanh(unit)
    }
    return 1 / (1 + Math.exp(-sum))
  }
}
