import type { TrailRow } from 'deflector'
import type { ExchangeRecord } from './exchange-record.ts'

/** What became of a request at a cache. */
export type CacheOutcome = 'hit' | 'stale' | 'miss' | 'skipped' | 'error' | 'stored' | 'not_stored'

export interface CacheEvent {
  /** Name of the layer in traces: `L1a_ExactCache`. */
  readonly layer: string
  readonly outcome: CacheOutcome
}

/** Names of caches in traces, as the specification has them. */
export const CACHES: readonly string[] = ['L1a_ExactCache', 'L1b_SemanticCache']

/** First words of notes by which a cache says that it did not look. */
const SKIPPED: ReadonlySet<string> = new Set(['passed', 'skipped', 'not_wanted', 'vendor_state'])

/** What the caches did with a request. `names`: names in traces, by the layer's instance name. */
export function cacheEvents(record: ExchangeRecord, names: ReadonlyMap<string, string>): CacheEvent[] {
  const events: CacheEvent[] = []
  for (const row of record.trail) {
    const layer = names.get(row.tap)
    const outcome = layer !== undefined && CACHES.includes(layer) ? outcomeOf(row, record) : undefined
    if (layer !== undefined && outcome !== undefined) events.push({ layer, outcome })
  }
  return events
}

function outcomeOf({ hook, tap, outcome }: TrailRow, { resolved_by, deflected }: ExchangeRecord) {
  const space = outcome.indexOf(' ')
  const word = space < 0 ? outcome : outcome.slice(0, space)
  if (word === 'failed' || word === 'store_failed') return 'error'
  if (hook === 'settle') return word === 'stored' ? 'stored' : word === 'passed' ? undefined : 'not_stored'
  if (deflected && resolved_by === tap && word !== 'miss') return hook === 'recover' ? 'stale' : 'hit'
  if (hook !== 'answer') return undefined
  return SKIPPED.has(word) ? 'skipped' : 'miss'
}
