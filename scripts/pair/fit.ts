import type { Calibration } from '../../plugins/models/pair/model-files.ts'
import type { Likeness } from '../../plugins/models/pair/screen.ts'

export interface Labelled {
  readonly logit: number
  readonly same: boolean
}

export const probability = (
  logit: number,
  { temperature, shift }: Pick<Calibration, 'temperature' | 'shift'>,
): number => 1 / (1 + Math.exp((shift - logit) / temperature))

/** Mean of the natural logarithm. */
export function logLoss(rows: readonly Labelled[], calibration: Pick<Calibration, 'temperature' | 'shift'>): number {
  const losses = rows.map(({ logit, same }) => {
    const p = Math.min(1 - 1e-12, Math.max(1e-12, probability(logit, calibration)))
    return -Math.log(same ? p : 1 - p)
  })
  return losses.reduce((sum, loss) => sum + loss, 0) / rows.length
}

/**
 * Temperature and shift of least log loss (Platt scaling), by Newton's method. Throws where more logit means less
 * likely the same: such a network has learnt nothing.
 */
export function fitProbability(rows: readonly Labelled[]): Pick<Calibration, 'temperature' | 'shift'> {
  let [slope, offset] = [1, 0]
  for (let step = 0; step < 100; step++) {
    let [gs, go, ss, so, oo] = [1e-6 * slope, 0, 1e-6, 0, 1e-6]
    for (const { logit, same } of rows) {
      const p = 1 / (1 + Math.exp(-slope * logit - offset))
      const [error, weight] = [p - (same ? 1 : 0), p * (1 - p)]
      gs += error * logit
      go += error
      ss += weight * logit * logit
      so += weight * logit
      oo += weight
    }
    const determinant = ss * oo - so * so
    // Halved where a full step would overshoot: far from the optimum the curve is flat.
    const change = [(oo * gs - so * go) / determinant, (ss * go - so * gs) / determinant] as const
    const scale = Math.min(1, 2 / Math.hypot(...change))
    slope -= scale * change[0]
    offset -= scale * change[1]
    if (Math.hypot(...change) < 1e-9) break
  }
  if (!(slope > 0)) throw new Error(`the network says the contrary of its labels: slope ${slope}`)
  return { temperature: 1 / slope, shift: -offset / slope }
}

/** A pair that a request met. */
export interface Screened {
  readonly likeness: Likeness
  /** Number of the request, which is saved all its runs when none is left. */
  readonly request: number
  /** A right hit: its loss is the cost of a screen. */
  readonly hit: boolean
  /** Was the request a miss? */
  readonly missed: boolean
}

type Screen = Calibration['screen']
const FEATURES = ['shared', 'contained', 'length'] as const

export interface FittedScreen {
  readonly screen: Screen
  readonly lostHits: number
  readonly hits: number
  /** Misses for which the network still runs. */
  readonly missesJudged: number
  readonly runs: number
}

/** Of all screens that lose at most this share of the right hits, the one that leaves the network the least to do. */
export function fitScreen(met: readonly Screened[], mostLost: number): FittedScreen {
  const hits = met.filter(({ hit }) => hit)
  const others = met.filter(({ hit }) => !hit)
  const allowed = Math.floor(mostLost * hits.length)
  const steps = Array.from({ length: 20 }, (_, i) => i / 20)
  let best: FittedScreen | undefined
  for (const shared of steps)
    for (const contained of steps)
      for (const length of steps) {
        const screen = { shared, contained, length }
        const lostHits = lost(hits, screen, allowed)
        // What a longer text would be refused for, an even longer one is too.
        if (lostHits > allowed) break
        const left = others.filter(({ likeness }) => passes(likeness, screen))
        const missesJudged = new Set(left.flatMap(({ request, missed }) => (missed ? [request] : []))).size
        const runs = left.length
        if (!best || missesJudged < best.missesJudged || (missesJudged === best.missesJudged && runs < best.runs))
          best = { screen, lostHits, hits: hits.length, missesJudged, runs }
      }
  if (!best) throw new Error('nothing to fit a screen on')
  return best
}

function lost(hits: readonly Screened[], screen: Screen, allowed: number): number {
  let count = 0
  for (const { likeness } of hits) if (!passes(likeness, screen) && ++count > allowed) break
  return count
}

const passes = (likeness: Likeness, screen: Screen): boolean => FEATURES.every(name => likeness[name] >= screen[name])
