import type { Answer } from '../../api/ask.ts'
import type { LiveRequest } from '../../api/live.ts'

type Entry = Answer<'GET /api/admin/requests'>['entries'][number]

/** A request in one line of the log. */
export interface RequestLine {
  readonly id: string
  /** ISO 8601: when it came. */
  readonly time: string
  readonly layer: string
  readonly status: number
  readonly ms: number
  readonly model: string | null
  readonly provider: string | null
  readonly client: string
  /** Label of the gateway key. */
  readonly key: string | null
  readonly tags: readonly string[]
  readonly error: string | null
  /** USD; `null` where it is not known. */
  readonly cost: number | null
  readonly saved: number | null
}

export function lineOfEntry(entry: Entry): RequestLine {
  return {
    id: entry.request_id,
    time: entry.timestamp ?? '',
    layer: entry.final_layer ?? '',
    status: entry.status ?? 0,
    ms: entry.latency_ms ?? 0,
    model: entry.model ?? null,
    provider: entry.provider ?? null,
    client: entry.client ?? '',
    key: entry.principal ?? null,
    tags: entry.tags ?? [],
    error: entry.error ?? null,
    cost: entry.cost_usd ?? null,
    saved: entry.deflected ? (entry.saved_cost_usd ?? null) : null,
  }
}

/** The stream tells when a request was over, the log when it came. */
export function lineOfLive(request: LiveRequest): RequestLine {
  const { saved: _, skipped: __, tool: ___, cost_usd: cost, saved_cost_usd: saved, ...rest } = request
  return { ...rest, time: new Date(Date.parse(request.time) - request.ms).toISOString(), cost, saved }
}
