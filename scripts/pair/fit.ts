import { type Calibration, probabilityOf } from '../../plugins/models/pair/calibration.ts'
import type { Likeness } from '../../plugins/models/pair/likeness.ts'

/** What the network says of a pair, how alike it is, and the truth. */
export interface Labelled {
  readonly logit: number
  readonly likeness: Likeness
  readonly same: boolean
}

export type Fit = Omit<Calibration, 'bars'>

/** Penalty of a weight's square, against pairs that a weight alone could tell apart. */
const RIDGE = 1e-3
const STEPS = 100

/** Mean of the natural logarithm. */
export function logLoss(rows: readonly Labelled[], fit: Fit): number {
  const losses = rows.map(({ logit, likeness, same }) => {
    const p = Math.min(1 - 1e-12, Math.max(1e-12, probabilityOf(logit, likeness, fit)))
    return -Math.log(same ? p : 1 - p)
  })
  return losses.reduce((sum, loss) => sum + loss, 0) / rows.length
}

/**
 * The logistic regression of least log loss on the logit and the likeness, by Newton's method. Throws where more logit
 * means less likely the same: such a network has learnt nothing.
 */
export function fitProbability(rows: readonly Labelled[]): Fit {
  const inputs = rows.map(({ logit, likeness: l }) => [logit, l.shared, l.contained, l.length, 1])
  let weights = [1, 0, 0, 0, 0]
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map(weight => RIDGE * weight)
    const curvature = weights.map((_, i) => weights.map((_, j) => Number(i === j) * RIDGE))
    for (const [at, input] of inputs.entries()) {
      const p = 1 / (1 + Math.exp(-dot(weights, input)))
      const [error, certainty] = [p - (rows[at]?.same ? 1 : 0), p * (1 - p)]
      for (const [i, x] of input.entries()) {
        gradient[i] = (gradient[i] ?? 0) + error * x
        const row = curvature[i] ?? []
        for (const [j, y] of input.entries()) row[j] = (row[j] ?? 0) + certainty * x * y
      }
    }
    const change = solved(curvature, gradient)
    // Cut where a full step would overshoot: far from the optimum the curve is flat.
    const scale = Math.min(1, 2 / Math.hypot(...change))
    weights = weights.map((weight, i) => weight - scale * (change[i] ?? 0))
    if (Math.hypot(...change) < 1e-9) break
  }
  const [slope = 0, shared = 0, contained = 0, length = 0, offset = 0] = weights
  if (!(slope > 0)) throw new Error(`the network says the contrary of its labels: slope ${slope}`)
  const likeness = { shared: shared / slope, contained: contained / slope, length: length / slope }
  return { temperature: 1 / slope, shift: -offset / slope, likeness }
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)

/** Of a symmetric positive definite system, by elimination. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  for (const [i, pivot] of rows.entries())
    for (const [j, row] of rows.entries()) {
      if (i === j) continue
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1)
      for (const [k, x] of pivot.entries()) row[k] = (row[k] ?? 0) - factor * x
    }
  return rows.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1))
}
