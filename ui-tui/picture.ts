import type { Agents, Facts, Layer, LiveRequest, Overview, Prompts, Provider, RecentEntry } from './source.ts'

/** Of the feed. */
const MOST_REQUESTS = 1_000
/** Rates are those of the last so many milliseconds. */
const RATE_MS = 10_000
/** Samples for the small chart of requests in a second. */
const MOST_SAMPLES = 120

type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  | { readonly state: 'lost'; readonly why: string; readonly since: number }

/** Totals at a moment, milliseconds since 1970. */
interface Sample {
  readonly at: number
  readonly total: number
  readonly deflected: number
  readonly byLayer: Readonly<Record<string, number>>
}

/** All that is known of the gateway. What was never told is absent; what is old stays until something newer comes. */
export interface Picture {
  readonly connection: Connection
  /** Live requests arrive. */
  readonly following: boolean
  readonly prompts?: Prompts
  readonly layers: readonly Layer[]
  readonly providers: readonly Provider[]
  readonly facts?: Facts
  readonly overview?: Overview
  readonly agents: Agents
  /** The newest first. */
  readonly feed: readonly LiveRequest[]
  /** Requests that came too fast to be told of. */
  readonly missed: number
  readonly samples: readonly Sample[]
}

export const NOTHING: Picture = {
  connection: { state: 'connecting' },
  following: false,
  layers: [],
  providers: [],
  agents: {},
  feed: [],
  missed: 0,
  samples: [],
}

/** With new totals. A gateway that began anew counts from 0, and so do its rates. */
export function counted(picture: Picture, prompts: Prompts, at: number): Picture {
  const { total_prompts: total, total_deflected_prompts: deflected, by_layer: byLayer } = prompts
  const last = picture.samples.at(-1)
  const kept = last && total < last.total ? [] : picture.samples.slice(1 - MOST_SAMPLES)
  return {
    ...picture,
    connection: { state: 'connected' },
    prompts,
    samples: [...kept, { at, total, deflected, byLayer }],
  }
}

export const lost = (picture: Picture, why: string, now: number): Picture => {
  const since = picture.connection.state === 'lost' ? picture.connection.since : now
  return { ...picture, connection: { state: 'lost', why, since } }
}

/** With these at the top of the feed, each once. */
export function told(picture: Picture, requests: readonly LiveRequest[]): Picture {
  const known = new Set(picture.feed.map(({ id }) => id))
  const fresh = requests.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return picture
  const feed = [...picture.feed, ...fresh].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
  return { ...picture, feed: feed.slice(0, MOST_REQUESTS) }
}

/** A request of the log, as one of the feed. Its time is that of its end, too. */
export const requestOf = (entry: RecentEntry): LiveRequest => ({
  id: entry.request_id,
  time: new Date(Date.parse(entry.timestamp) + entry.latency_ms).toISOString(),
  layer: entry.final_layer,
  status: entry.response_status ?? entry.status ?? 0,
  ms: entry.latency_ms,
  model: entry.model,
  provider: entry.provider,
  client: entry.client,
  tool: entry.tool,
  key: entry.principal,
  tags: entry.tags,
  error: entry.error,
  saved: entry.deflected ? (entry.saved_tokens ?? 0) : 0,
  cost_usd: entry.cost_usd,
})

/** What happened in a second, lately; `undefined` before the second sample. */
export function rateOf({ samples }: Pick<Picture, 'samples'>, count: (sample: Sample) => number): number | undefined {
  const last = samples.at(-1)
  const first = last && samples.find(({ at }) => at >= last.at - RATE_MS)
  if (!last || !first || first.at === last.at) return undefined
  return ((count(last) - count(first)) * 1000) / (last.at - first.at)
}

/** Requests between each two samples, the oldest first. */
export const steps = ({ samples }: Pick<Picture, 'samples'>): number[] =>
  samples.slice(1).map(({ total }, at) => total - (samples[at]?.total ?? 0))
