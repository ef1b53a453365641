import type {
  AgentStats,
  LayerStats,
  PromptTotals,
  ProxyDecision,
  RecentPrompt,
  TrafficStats,
} from 'deflector/facets/traffic-stats'
import type { CacheEvent } from 'deflector/formats/cache-lookups'
import type { ExchangeRecord } from 'deflector/formats/exchange-record'
import { AgentCounts } from './agents.ts'
import { layerTimes } from './layer-times.ts'
import { Ring } from './ring.ts'

/** Requests of each list that are kept. */
const KEPT = 1_000
/** Values that a table counts; more come only of a pipeline with as many layers. */
const MOST_VALUES = 100

/** Counts of one property by its value. */
type Counts = Map<string, number>

/** What is known of a request beside its record. */
export interface Seen {
  readonly events: readonly CacheEvent[]
  /** How often a vendor was asked. */
  readonly calls: number
  readonly promptHash: string | null
  /** One that is not counted is on the lists all the same. */
  readonly counted: boolean
}

/** A request of a list; what is said of it is made when somebody asks. */
type Kept = Pick<Seen, 'promptHash'> & { readonly record: ExchangeRecord }

/** Counts and the last requests, since the gateway began. */
export class Traffic implements TrafficStats {
  #prompts = 0
  #deflected = 0
  readonly #layers: Counts = new Map()
  readonly #surfaces: Counts = new Map()
  readonly #clients: Counts = new Map()
  readonly #tools: Counts = new Map()
  readonly #agents = new Map<string, AgentCounts>()
  readonly #recent = new Ring<Kept>(KEPT)
  readonly #proxied = new Ring<Kept>(KEPT)

  add(record: ExchangeRecord, { events, calls, promptHash, counted }: Seen): void {
    if (counted) this.#count(record, events, calls)
    const kept = { record, promptHash }
    this.#recent.push(kept)
    if (record.traffic_surface === 'proxy') this.#proxied.push(kept)
  }

  #count(record: ExchangeRecord, events: Seen['events'], calls: number): void {
    const { tool, client, traffic_surface, final_layer, latency_ms, error } = record
    this.#prompts++
    if (record.deflected) this.#deflected++
    count(this.#layers, final_layer)
    count(this.#surfaces, traffic_surface)
    count(this.#clients, client)
    count(this.#tools, tool)
    const agent = this.#agents.get(tool) ?? new AgentCounts()
    this.#agents.set(tool, agent)
    agent.add(events, latency_ms)
    agent.retries += Math.max(0, calls - 1)
    if (error !== null && error !== 'client_left') agent.errors++
  }

  totals(): PromptTotals {
    return {
      total_prompts: this.#prompts,
      total_deflected_prompts: this.#deflected,
      by_layer: Object.fromEntries(this.#layers),
      by_surface: Object.fromEntries(this.#surfaces),
      by_client: Object.fromEntries(this.#clients),
      by_tool: Object.fromEntries(this.#tools),
    }
  }

  recent(limit: number): readonly RecentPrompt[] {
    return this.#recent.last(limit).map(recentOf)
  }

  layers(): readonly LayerStats[] {
    return layerTimes(this.#recent.last(KEPT).map(({ record }) => record))
  }

  agents(): Readonly<Record<string, AgentStats>> {
    return Object.fromEntries([...this.#agents].map(([tool, counts]) => [tool, counts.stats()]))
  }

  proxied(limit: number): readonly ProxyDecision[] {
    return this.#proxied.last(limit).map(decisionOf)
  }
}

function count(counts: Counts, value: string): void {
  const known = counts.has(value) || counts.size < MOST_VALUES ? value : 'other'
  counts.set(known, (counts.get(known) ?? 0) + 1)
}

const recentOf = ({ record, promptHash }: Kept): RecentPrompt => ({
  timestamp: record.timestamp,
  traffic_surface: record.traffic_surface,
  client: record.client,
  endpoint_family: record.endpoint_family,
  route: record.path,
  prompt_hash: promptHash,
  final_layer: record.final_layer,
  resolved_by: record.resolved_by,
  deflected: record.deflected,
  latency_ms: record.latency_ms,
  status_code: record.status,
  tool: record.tool,
})

const decisionOf = ({ record, promptHash }: Kept): ProxyDecision => ({
  request_id: record.request_id,
  timestamp: record.timestamp,
  client: record.client,
  hostname: record.hostname,
  path: record.path,
  prompt_hash: promptHash,
  final_layer: record.final_layer,
  resolved_by: record.resolved_by,
  deflected: record.deflected,
  latency_ms: record.latency_ms,
})
