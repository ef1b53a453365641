import { z } from 'zod'
import type { Likeness } from './likeness.ts'

const share = z.number().min(0).max(1)

export const calibrationFile = z.object({
  temperature: z.number().positive(),
  shift: z.number(),
  /** What a feature of likeness adds to the logit: weight by value. */
  likeness: z
    .object({ shared: z.number().default(0), contained: z.number().default(0), length: z.number().default(0) })
    .prefault({}),
  /** For caches of so many entries: pairs of a share of wrong hits among all requests, and the least probability of a hit. */
  bars: z
    .array(z.object({ entries: z.number().int().positive(), falseRequests: z.array(z.tuple([share, share])).min(1) }))
    .min(1),
})

export type Calibration = z.infer<typeof calibrationFile>

/**
 * Platt scaling of the network's logit and the likeness together. The network learnt from pairs that were chosen for
 * closeness, so of texts met by chance it underrates how much likeness says.
 */
export function probabilityOf(
  logit: number,
  { shared, contained, length }: Likeness,
  { temperature, shift, likeness }: Omit<Calibration, 'bars'>,
): number {
  const added = likeness.shared * shared + likeness.contained * contained + likeness.length * length
  return 1 / (1 + Math.exp((shift - logit - added) / temperature))
}

/** Above all caches that were measured, the bar rises no higher: no probability is as high as 1. */
const HIGHEST = 0.9999

/**
 * The least probability of a hit for so many entries and such a share of wrong hits, as measured for the next smaller
 * share: nothing is likely enough for one below all that were measured. Between two caches that were measured, and above
 * the largest, each doubling of the entries raises the bar by as much.
 */
export function barOf({ bars }: Calibration, entries: number, falseRequests: number): number {
  const rows = [...bars].sort((a, b) => a.entries - b.entries)
  const next = rows.findIndex(row => row.entries >= entries)
  const [smaller, larger] = next < 0 ? rows.slice(-2) : rows.slice(Math.max(0, next - 1), next + 1)
  if (!smaller) return Number.POSITIVE_INFINITY
  const from = measuredBar(smaller, falseRequests)
  if (!larger) return from
  const to = measuredBar(larger, falseRequests)
  // Never falls beyond what was measured; and `from` is infinite where the smaller cache was measured for fewer shares.
  if (from >= to) return to
  const doublings = Math.log2(entries / smaller.entries) / Math.log2(larger.entries / smaller.entries)
  return Math.max(from, Math.min(Math.max(HIGHEST, to), from + (to - from) * doublings))
}

type Bars = Calibration['bars'][number]

function measuredBar(row: Bars, falseRequests: number): number {
  const allowed = row.falseRequests.filter(([share]) => share <= falseRequests).map(([, probability]) => probability)
  return allowed.length > 0 ? Math.min(...allowed) : Number.POSITIVE_INFINITY
}
