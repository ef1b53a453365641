import { meanConfidence } from './heads.ts'
import { largest, softmax } from './inputs.ts'

const HOTTEST = 20
const COLDEST = 0.05
const ROUNDS = 60
const GOLDEN = (Math.sqrt(5) - 1) / 2
/** A probability of 0 has no logarithm. */
const LEAST = 1e-12

/** The temperature with the least loss, by golden sections of its logarithm. */
function coolest(loss: (temperature: number) => number): number {
  let [low, high] = [Math.log(COLDEST), Math.log(HOTTEST)]
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    if (loss(Math.exp(a)) < loss(Math.exp(b))) high = b
    else low = a
  }
  return Math.exp((low + high) / 2)
}

const logLoss = (probability: number): number => -Math.log(Math.max(probability, LEAST))

/** The scores that one head gave examples, and which label each has. */
export interface Scored {
  readonly scores: readonly Float64Array[]
  readonly truths: readonly number[]
}

/** The temperature at which a head's probabilities have the least log loss. */
export const headTemperature = ({ scores, truths }: Scored): number =>
  coolest(temperature =>
    scores.reduce((sum, of, at) => sum + logLoss(softmax(of, temperature)[truths[at] ?? 0] ?? 0), 0),
  )

/**
 * What multiplies the heads' temperatures so that their mean confidence is the best guess, by log loss, of whether all of
 * them are right.
 */
export function overallTemperature(heads: readonly (Scored & { readonly temperature: number })[]): number {
  const [first] = heads
  if (!first) return 1
  const allRight = first.scores.map((_, at) => heads.every(({ scores, truths }) => isRight(scores[at], truths[at])))
  return coolest(factor =>
    allRight.reduce((sum, right, at) => {
      const sure = meanConfidence(
        heads.map(({ scores, temperature }) => softmax(scores[at] ?? new Float64Array(1), temperature * factor)),
      )
      return sum + logLoss(right ? sure : 1 - sure)
    }, 0),
  )
}

const isRight = (scores: Float64Array | undefined, truth: number | undefined): boolean =>
  scores !== undefined && largest(scores) === truth
