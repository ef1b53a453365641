import { facet } from 'deflector'

/** A request in the list of the last ones: no text of it. */
export interface RecentPrompt {
  readonly timestamp: string
  readonly traffic_surface: string
  readonly client: string
  readonly endpoint_family: string
  /** Path of the call. */
  readonly route: string | null
  /** Equal for equal requests; `null` for a large one that no cache has read. */
  readonly prompt_hash: string | null
  readonly final_layer: string
  readonly resolved_by: string | null
  readonly deflected: boolean
  readonly latency_ms: number
  readonly status_code: number
  readonly tool: string
}

/** A request that came through the proxy. */
export interface ProxyDecision
  extends Pick<
    RecentPrompt,
    'timestamp' | 'client' | 'prompt_hash' | 'final_layer' | 'resolved_by' | 'deflected' | 'latency_ms'
  > {
  readonly request_id: string
  readonly hostname: string | null
  readonly path: string | null
}

/** Requests by what they had in common, since the gateway began. */
export interface PromptTotals {
  readonly total_prompts: number
  readonly total_deflected_prompts: number
  readonly by_layer: Readonly<Record<string, number>>
  readonly by_surface: Readonly<Record<string, number>>
  readonly by_client: Readonly<Record<string, number>>
  readonly by_tool: Readonly<Record<string, number>>
}

/** What one tool did since the gateway began. Hits and misses are those of caches that looked. */
export interface AgentStats {
  readonly requests: number
  readonly cache_hits: number
  readonly cache_misses: number
  readonly l1a_hits: number
  readonly l1a_misses: number
  readonly l1b_hits: number
  readonly l1b_misses: number
  readonly average_latency_ms: number
  /** Vendor calls beyond the first of each request. */
  readonly retry_count: number
  /** Refusals and failures, but for those whose client had left. */
  readonly error_count: number
  /** Hits among the lookups of the layer; 0 where there were none. */
  readonly l1a_safety_ratio: number
  readonly l1b_safety_ratio: number
}

/** What one layer did with the last requests that reached it. */
export interface LayerStats {
  /** Instance name. */
  readonly name: string
  readonly asked: number
  /** Requests that it answered; one that failed later is none of them. */
  readonly answered: number
  /** Requests that failed here. All others passed on. */
  readonly failed: number
  /** Milliseconds until it answered or passed; of a stream, to its beginning. */
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface TrafficStats {
  totals(): PromptTotals
  /** Newest first. */
  recent(limit: number): readonly RecentPrompt[]
  /** Of the last requests, as many as are kept. */
  layers(): readonly LayerStats[]
  agents(): Readonly<Record<string, AgentStats>>
  /** Newest first. */
  proxied(limit: number): readonly ProxyDecision[]
}

export const trafficStats = facet<TrafficStats>('traffic-stats')
