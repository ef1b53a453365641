import type { AgentStats } from 'deflector/facets/traffic-stats'
import type { CacheEvent } from 'deflector/formats/cache-lookups'

/** Counts of one tool. */
export class AgentCounts {
  requests = 0
  retries = 0
  errors = 0
  #latencyMs = 0
  #hits = 0
  #misses = 0
  readonly #layers: Readonly<Record<string, { hits: number; misses: number }>> = {
    L1a_ExactCache: { hits: 0, misses: 0 },
    L1b_SemanticCache: { hits: 0, misses: 0 },
  }

  add(events: readonly CacheEvent[], latencyMs: number): void {
    this.requests++
    this.#latencyMs += latencyMs
    for (const { layer, outcome } of events) {
      const counts = this.#layers[layer]
      if (counts && outcome === 'hit') counts.hits++
      if (counts && outcome === 'miss') counts.misses++
    }
    if (events.some(({ outcome }) => outcome === 'hit')) this.#hits++
    else if (events.some(({ outcome }) => outcome === 'miss')) this.#misses++
  }

  stats(): AgentStats {
    const { L1a_ExactCache: l1a = NONE, L1b_SemanticCache: l1b = NONE } = this.#layers
    return {
      requests: this.requests,
      cache_hits: this.#hits,
      cache_misses: this.#misses,
      l1a_hits: l1a.hits,
      l1a_misses: l1a.misses,
      l1b_hits: l1b.hits,
      l1b_misses: l1b.misses,
      average_latency_ms: ratio(this.#latencyMs, this.requests),
      retry_count: this.retries,
      error_count: this.errors,
      l1a_safety_ratio: ratio(l1a.hits, l1a.hits + l1a.misses),
      l1b_safety_ratio: ratio(l1b.hits, l1b.hits + l1b.misses),
    }
  }
}

const NONE = { hits: 0, misses: 0 }

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
