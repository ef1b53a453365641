import type { TrailRow } from 'deflector'
import type { LayerStats } from 'deflector/facets/traffic-stats'
import type { ExchangeRecord } from 'deflector/formats/exchange-record'

/** What of a record says who was asked. */
export interface Asked extends Pick<ExchangeRecord, 'resolved_by' | 'error'> {
  readonly trail: readonly Pick<TrailRow, 'hook' | 'tap' | 'ms'>[]
}

/** What each layer that was asked did with these requests, worked out anew: nothing is counted while they run. */
export function layerTimes(records: readonly Asked[]): LayerStats[] {
  const layers = new Map<string, { answered: number; failed: number; readonly times: number[] }>()
  for (const { trail, resolved_by, error } of records) {
    for (const { hook, tap, ms } of trail) {
      if (hook !== 'answer') continue
      const layer = layers.get(tap) ?? { answered: 0, failed: 0, times: [] }
      layers.set(tap, layer)
      layer.times.push(ms)
      if (tap === resolved_by) layer[error === null ? 'answered' : 'failed']++
    }
  }
  return [...layers].map(([name, { times, ...ended }]) => {
    const sorted = Float64Array.from(times).sort()
    return { name, asked: times.length, ...ended, p50_ms: rank(sorted, 0.5), p99_ms: rank(sorted, 0.99) }
  })
}

/** The least time that so large a share of all times does not exceed, to a microsecond. */
const rank = (sorted: Float64Array, share: number): number =>
  Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 1000) / 1000
