import { type Artifact, THOUSANDTH } from './artifact.ts'
import { type Input, inputsOf, largest, scores, softmax } from './inputs.ts'

/** What one head says of a text. */
export interface HeadResult {
  /** The likeliest label. */
  readonly label: string
  /** Its probability. */
  readonly confidence: number
  /** Of every label. */
  readonly probabilities: Readonly<Record<string, number>>
}

export interface Classification {
  readonly heads: Readonly<Record<string, HeadResult>>
  /**
   * The mean of the heads' confidences at the overall temperature, which is learnt so that this is about the probability
   * that all heads are right.
   */
  readonly overallConfidence: number
}

interface Head {
  readonly name: string
  readonly labels: readonly string[]
  readonly weights: readonly Float64Array[]
  readonly biases: readonly number[]
  readonly temperature: number
}

/** What of an artifact classifies. */
export type Trained = Pick<Artifact, 'heads' | 'overall_temperature' | 'dimensions' | 'shape' | 'words'>

/**
 * A trained classifier in use. It takes tens of microseconds for a text of a few lines, so it may run on the main thread.
 *
 * ```ts
 * const heads = new Heads(readArtifact(text))
 * const { heads: { tier }, overallConfidence } = heads.classify(vector, prompt)
 * ```
 */
export class Heads {
  /** The labels of every head. */
  readonly labels: Readonly<Record<string, readonly string[]>>
  readonly #heads: readonly Head[]
  readonly #overall: number
  readonly #input: (vector: Float32Array, text: string) => Input

  constructor({ heads, overall_temperature, ...layout }: Trained) {
    this.#overall = overall_temperature
    this.#input = inputsOf(layout)
    this.#heads = Object.entries(heads).map(([name, { weights, ...head }]) => ({
      name,
      ...head,
      weights: weights.map(inThousandths),
    }))
    this.labels = Object.fromEntries(this.#heads.map(({ name, labels }) => [name, labels]))
  }

  /** `vector` is that of `text`, made by the artifact's embedder. Throws where it has other dimensions. */
  classify(vector: Float32Array, text: string): Classification {
    const input = this.#input(vector, text)
    const all = this.#heads.map(head => ({ head, of: scores(head.weights, head.biases, input) }))
    return {
      heads: Object.fromEntries(all.map(({ head, of }) => [head.name, resultOf(head, of)])),
      overallConfidence: meanConfidence(all.map(({ head, of }) => softmax(of, head.temperature * this.#overall))),
    }
  }
}

/** A loop, as `Float64Array.from` with a function goes through an iterator and takes ten times as long. */
function inThousandths(row: readonly number[]): Float64Array {
  const weights = new Float64Array(row.length)
  for (let at = 0; at < row.length; at++) weights[at] = (row[at] as number) * THOUSANDTH
  return weights
}

/** The mean of the largest probabilities. */
export const meanConfidence = (all: readonly Float64Array[]): number =>
  all.reduce((sum, probabilities) => sum + (probabilities[largest(probabilities)] ?? 0), 0) / all.length

function resultOf({ labels, temperature }: Head, of: Float64Array): HeadResult {
  const probabilities = softmax(of, temperature)
  const best = largest(probabilities)
  return {
    label: labels[best] ?? '',
    confidence: probabilities[best] ?? 0,
    probabilities: Object.fromEntries(labels.map((label, at) => [label, probabilities[at] ?? 0])),
  }
}
