import type { VerifierWeights } from '../../plugins/layers/semantic-cache/verifier.ts'

/** One candidate pair that a replay met. */
export interface Example {
  readonly features: readonly number[]
  readonly same: boolean
  readonly weight: number
}

/** Small, fast, and the same everywhere: a run with one seed always gives the same weights. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296
  }
}

/** Fits a network of `units` tanh units by Adam on weighted log loss, whole batch after whole batch. */
export function train(
  examples: readonly Example[],
  names: readonly string[],
  { units = 16, epochs = 400, rate = 0.02, decay = 0.002, seed = 1 } = {},
): VerifierWeights {
  const n = names.length
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const mean = names.map((_, i) => examples.reduce((sum, one) => sum + one.weight * (one.features[i] ?? 0), 0) / total)
  const scale = names.map((_, i) => {
    const spread =
      examples.reduce((sum, one) => sum + one.weight * ((one.features[i] ?? 0) - (mean[i] ?? 0)) ** 2, 0) / total
    return Math.max(0.02, Math.sqrt(spread))
  })
  const inputs = examples.map(({ features }) =>
    Float64Array.from(features, (x, i) => (x - (mean[i] ?? 0)) / (scale[i] ?? 1)),
  )
  const random = randomOf(seed)
  const size = units * (n + 1) + units + 1
  const w = Float64Array.from({ length: size }, () => (random() - 0.5) * 0.6)
  const m = new Float64Array(size)
  const v = new Float64Array(size)
  const g = new Float64Array(size)
  const act = new Float64Array(units)
  const out = units * (n + 1)
  const batch = 256
  const order = inputs.map((_, i) => i)
  let step = 0
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0]
    }
    const lr = rate * 0.5 * (1 + Math.cos((Math.PI * epoch) / epochs))
    for (let from = 0; from < order.length; from += batch) {
      g.fill(0)
      let mass = 0
      for (const k of order.slice(from, from + batch)) {
        const x = inputs[k]
        const one = examples[k]
        if (!x || !one) continue
        let sum = w[out + units] ?? 0
        for (let h = 0; h < units; h++) {
          let unit = w[h * (n + 1) + n] ?? 0
          for (let i = 0; i < n; i++) unit += (w[h * (n + 1) + i] ?? 0) * (x[i] ?? 0)
          act[h] = Math.tanh(unit)
          sum += (w[out + h] ?? 0) * (act[h] ?? 0)
        }
        const error = (1 / (1 + Math.exp(-sum)) - (one.same ? 1 : 0)) * one.weight
        mass += one.weight
        g[out + units] = (g[out + units] ?? 0) + error
        for (let h = 0; h < units; h++) {
          const a = act[h] ?? 0
          g[out + h] = (g[out + h] ?? 0) + error * a
          const back = error * (w[out + h] ?? 0) * (1 - a * a)
          for (let i = 0; i < n; i++) g[h * (n + 1) + i] = (g[h * (n + 1) + i] ?? 0) + back * (x[i] ?? 0)
          g[h * (n + 1) + n] = (g[h * (n + 1) + n] ?? 0) + back
        }
      }
      step++
      for (let i = 0; i < size; i++) {
        const grad = (g[i] ?? 0) / Math.max(1e-9, mass)
        m[i] = 0.9 * (m[i] ?? 0) + 0.1 * grad
        v[i] = 0.999 * (v[i] ?? 0) + 0.001 * grad * grad
        const move = (m[i] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((v[i] ?? 0) / (1 - 0.999 ** step)) + 1e-8)
        w[i] = (w[i] ?? 0) * (1 - lr * decay) - lr * move
      }
    }
  }
  const short = (x: number): number => Number(x.toFixed(4))
  return {
    features: [...names],
    mean: mean.map(short),
    scale: scale.map(short),
    hidden: Array.from({ length: units }, (_, h) => [...w.slice(h * (n + 1), (h + 1) * (n + 1))].map(short)),
    output: [...w.slice(out)].map(short),
  }
}
