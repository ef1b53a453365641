/** Made of the OpenAPI document by `npm run dashboard:types`. Do not edit. */
export interface Endpoints {
  /** Ask in the native format */
  'POST /api/chat': {
    body: {
      readonly prompt: string
      readonly model?: string
      readonly stream?: boolean
      readonly session_id?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly layer: number
      readonly message: string
      readonly model: string
      readonly id: string
      readonly [name: string]: unknown
    }
  }
  /** Ask in the native format */
  'POST /api/v1/chat': {
    body: {
      readonly prompt: string
      readonly model?: string
      readonly stream?: boolean
      readonly session_id?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly layer: number
      readonly message: string
      readonly model: string
      readonly id: string
      readonly [name: string]: unknown
    }
  }
  /** A cached answer, or 204 */
  'POST /api/v1/cache/lookup': {
    body: {
      readonly prompt: string
      readonly model?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly layer: number
      readonly message: string
      readonly model: string
      readonly id: string
      readonly [name: string]: unknown
    }
  }
  /** Store an answer */
  'POST /api/v1/cache/store': {
    body: {
      readonly prompt: string
      readonly response: string
      readonly model?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly stored: boolean
      readonly [name: string]: unknown
    }
  }
  /** Status, version and every layer */
  'GET /health': {
    answer: {
      readonly status: 'ok' | 'degraded' | 'draining'
      readonly version: string
      readonly layers: Readonly<Record<string, 'active' | 'disabled' | 'degraded' | 'no_credential'>>
      readonly uptime_seconds: number
      readonly demo_mode: boolean
      readonly pipeline: string
      readonly generation: number
    }
  }
  /** The process serves */
  'GET /healthz': {
    answer: {
      readonly status: 'ok'
    }
  }
  /** The gateway takes requests; 503 while it drains */
  'GET /readyz': {
    answer: {
      readonly status: 'ready' | 'not_ready'
    }
  }
  /** This document */
  'GET /openapi.json': {
    answer: Readonly<Record<string, unknown>>
  }
  /** Every setting in its place: value, source, words and schema; secrets are masked */
  'GET /api/admin/config': {
    answer: {
      readonly config_path: string
      readonly revision: string
      readonly problems: readonly string[]
      readonly unread: readonly string[]
      readonly waiting: readonly {
        readonly key: string
        readonly running: unknown
      }[]
      readonly settings: Readonly<Record<string, unknown>>
    }
  }
  /** Change settings by a patch (RFC 7396), nested or with dotted keys */
  'POST /api/admin/config': {
    query?: {
      readonly revision?: string
    }
    body: Readonly<Record<string, unknown>>
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** What a patch would do: its problems, or the diff of the file and when each setting counts */
  'POST /api/admin/config/check': {
    query?: {
      readonly revision?: string
      readonly quick?: boolean
    }
    body: Readonly<Record<string, unknown>>
    answer: {
      readonly ok: boolean
      readonly problems: readonly {
        readonly setting: string | null
        readonly message: string
      }[]
      readonly diff: string
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly revision: string
    }
  }
  /** Read the settings file and the pipeline file again, as `deflector reload` does */
  'POST /api/admin/config/reload': {
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** The pipeline that serves, as a graph with its traffic */
  'GET /api/admin/pipeline': {
    answer: {
      readonly file: string
      readonly generation: number
      readonly since: string | null
      readonly nodes: readonly {
        readonly id: string
        readonly role: 'surface' | 'layer' | 'provider' | 'model' | 'store' | 'observer'
        readonly name: string
        readonly plugin: string
        readonly flow: string | null
        readonly facets: readonly string[]
        readonly answered: number | null
        readonly failed: number | null
      }[]
      readonly flows: readonly {
        readonly name: string
        readonly ids: readonly string[]
      }[]
      readonly edges: readonly {
        readonly from: string
        readonly to: string
        readonly asks: boolean
        readonly count: number | null
        readonly failed: number | null
      }[]
    }
  }
  /** How each provider of the chain is */
  'GET /debug/providers': {
    answer: {
      readonly active_provider: string | null
      readonly providers: readonly ({
        readonly name: string
        readonly active: boolean
        readonly status: 'healthy' | 'failing' | 'unknown' | 'no_credential'
        readonly model: string | null
        readonly endpoint: string | null
        readonly api_key_configured: boolean
        readonly requests_total: number
        readonly errors_total: number
        readonly latency_ms: number | null
        readonly first_token_ms: number | null
        readonly circuit: 'closed' | 'open' | 'half_open'
        readonly key_rotation_strategy: string
        readonly key_cooldown_secs: number
        readonly keys: readonly {
          readonly masked_key: string
          readonly position: number
          readonly label: string | null
          readonly priority: number | null
          readonly status: 'available' | 'cooling_down'
          readonly requests_total: number
          readonly rate_limit_total: number
          readonly last_used: string | null
          readonly cooldown_until: string | null
        }[]
        readonly last_success: string | null
        readonly last_error: string | null
        readonly last_error_message: string | null
        readonly last_check: string | null
      })[]
    }
  }
  /** How each provider of the chain is */
  'GET /api/admin/providers': {
    answer: {
      readonly active_provider: string | null
      readonly providers: readonly ({
        readonly name: string
        readonly active: boolean
        readonly status: 'healthy' | 'failing' | 'unknown' | 'no_credential'
        readonly model: string | null
        readonly endpoint: string | null
        readonly api_key_configured: boolean
        readonly requests_total: number
        readonly errors_total: number
        readonly latency_ms: number | null
        readonly first_token_ms: number | null
        readonly circuit: 'closed' | 'open' | 'half_open'
        readonly key_rotation_strategy: string
        readonly key_cooldown_secs: number
        readonly keys: readonly {
          readonly masked_key: string
          readonly position: number
          readonly label: string | null
          readonly priority: number | null
          readonly status: 'available' | 'cooling_down'
          readonly requests_total: number
          readonly rate_limit_total: number
          readonly last_used: string | null
          readonly cooldown_until: string | null
        }[]
        readonly last_success: string | null
        readonly last_error: string | null
        readonly last_error_message: string | null
        readonly last_check: string | null
      })[]
    }
  }
  /** Look at a provider or an endpoint now */
  'POST /api/admin/providers/test': {
    body: {
      readonly name?: string
      readonly provider?: string
      readonly url?: string
      readonly api_key?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly reachable: boolean
      readonly authorized: boolean | null
      readonly latency_ms: number
      readonly status_code: number | null
      readonly error: string | null
      readonly keys: readonly {
        readonly masked_key: string
        readonly position: number
        readonly label: string | null
        readonly authorized: boolean | null
        readonly status_code: number | null
        readonly error: string | null
      }[]
    }
  }
  /** Add a provider to fallback_providers */
  'POST /api/admin/providers/add': {
    body: {
      readonly provider: string
      readonly model?: string
      readonly api_key?: string
      readonly name?: string
      readonly position?: number
      readonly [name: string]: unknown
    }
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** Change fields of a provider; null takes one out, a masked key stays */
  'POST /api/admin/providers/edit': {
    body: {
      readonly provider?: string
      readonly model?: string
      readonly api_key?: string
      readonly name: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** Remove a provider from fallback_providers */
  'POST /api/admin/providers/remove': {
    body: {
      readonly name: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** Move a provider in the chain */
  'POST /api/admin/providers/move': {
    body: {
      readonly name: string
      readonly position: number
      readonly [name: string]: unknown
    }
    answer: {
      readonly ok: true
      readonly message: string
      readonly restart_required: boolean
      readonly in_effect: readonly string[]
      readonly until_restart: readonly string[]
      readonly waiting: readonly string[]
      readonly revision: string
    }
  }
  /** Requests since the start, by layer, surface, client and tool */
  'GET /debug/stats/prompts': {
    query?: {
      readonly limit?: number
    }
    answer: {
      readonly total_prompts: number
      readonly total_deflected_prompts: number
      readonly by_layer: Readonly<Record<string, number>>
      readonly by_surface: Readonly<Record<string, number>>
      readonly by_client: Readonly<Record<string, number>>
      readonly by_tool: Readonly<Record<string, number>>
      readonly recent: readonly {
        readonly timestamp: string
        readonly client: string
        readonly prompt_hash: string | null
        readonly final_layer: string
        readonly resolved_by: string | null
        readonly deflected: boolean
        readonly latency_ms: number
        readonly traffic_surface: string
        readonly endpoint_family: string
        readonly route: string | null
        readonly status_code: number
        readonly tool: string
      }[]
    }
  }
  /** What each client tool did since the start */
  'GET /debug/stats/agents': {
    answer: {
      readonly agents: Readonly<Record<string, {
        readonly requests: number
        readonly cache_hits: number
        readonly cache_misses: number
        readonly l1a_hits: number
        readonly l1a_misses: number
        readonly l1b_hits: number
        readonly l1b_misses: number
        readonly average_latency_ms: number
        readonly retry_count: number
        readonly error_count: number
        readonly l1a_safety_ratio: number
        readonly l1b_safety_ratio: number
      }>>
    }
  }
  /** What each layer did with the last 1,000 requests, in the order of the pipeline */
  'GET /debug/stats/layers': {
    answer: {
      readonly layers: readonly {
        readonly name: string
        readonly label: string
        readonly asked: number
        readonly answered: number
        readonly failed: number
        readonly p50_ms: number
        readonly p99_ms: number
      }[]
    }
  }
  /** The last requests that came through the proxy */
  'GET /debug/proxy/recent': {
    query?: {
      readonly limit?: number
    }
    answer: {
      readonly entries: readonly {
        readonly timestamp: string
        readonly client: string
        readonly prompt_hash: string | null
        readonly final_layer: string
        readonly resolved_by: string | null
        readonly deflected: boolean
        readonly latency_ms: number
        readonly request_id: string
        readonly hostname: string | null
        readonly path: string | null
      }[]
    }
  }
  /** The last requests, newest first */
  'GET /api/admin/requests': {
    query?: {
      readonly limit?: number
      readonly q?: string
      readonly layer?: string
      readonly status?: number
      readonly client?: string
      readonly tool?: string
      readonly model?: string
      readonly key?: string
      readonly tag?: string
      readonly brief?: 'true' | 'false'
    }
    answer: {
      readonly enabled: boolean
      readonly source: 'none' | 'memory' | 'request_log'
      readonly log_path: string | null
      readonly entries: readonly {
        readonly request_id: string
        readonly timestamp?: string | null
        readonly kind?: string | null
        readonly path?: string | null
        readonly surface?: string | null
        readonly client?: string | null
        readonly tool?: string | null
        readonly principal?: string | null
        readonly tags?: readonly string[] | null
        readonly model?: string | null
        readonly provider?: string | null
        readonly final_layer?: string | null
        readonly deflected?: boolean | null
        readonly status?: number | null
        readonly error?: string | null
        readonly latency_ms?: number | null
        readonly cost_usd?: number | null
        readonly saved_cost_usd?: number | null
        readonly saved_tokens?: number | null
        readonly [name: string]: unknown
      }[]
    }
  }
  /** One request, and the way that it went */
  'GET /api/admin/requests/{id}': {
    path: {
      readonly id: string
    }
    answer: {
      readonly source: 'memory' | 'request_log'
      readonly request_id: string
      readonly timestamp?: string | null
      readonly kind?: string | null
      readonly path?: string | null
      readonly surface?: string | null
      readonly client?: string | null
      readonly tool?: string | null
      readonly principal?: string | null
      readonly tags?: readonly string[] | null
      readonly model?: string | null
      readonly provider?: string | null
      readonly final_layer?: string | null
      readonly deflected?: boolean | null
      readonly status?: number | null
      readonly error?: string | null
      readonly latency_ms?: number | null
      readonly cost_usd?: number | null
      readonly saved_cost_usd?: number | null
      readonly saved_tokens?: number | null
      readonly method?: string | null
      readonly resolved_by?: string | null
      readonly trail?: readonly ({
        readonly hook: string
        readonly layer: string
        readonly ms: number
        readonly outcome: string
        readonly attempt?: number
        readonly cache?: boolean
        readonly words?: string
        readonly neighbour?: {
          readonly similarity: number
          readonly probability?: number
          readonly id: string
        }
      })[]
      readonly attempts?: readonly {
        readonly provider: string
        readonly model: string | null
        readonly key: string | null
        readonly outcome: string
        readonly status: number | null
        readonly reason: string | null
        readonly fault?: string
        readonly ms: number
        readonly first_token_ms: number | null
        readonly input_tokens: number | null
        readonly output_tokens: number | null
        readonly cost_usd?: number | null
        readonly omitted?: readonly string[]
        readonly [name: string]: unknown
      }[]
      readonly request_headers?: Readonly<Record<string, string>>
      readonly request_body?: string | null
      readonly request_body_truncated?: boolean
      readonly response_status?: number
      readonly response_headers?: Readonly<Record<string, string>>
      readonly response_body?: string | null
      readonly response_body_truncated?: boolean
      readonly [name: string]: unknown
    }
  }
  /** Counts of each cache */
  'GET /api/admin/cache': {
    answer: {
      readonly caches: Readonly<Record<string, Readonly<Record<string, number>>>>
    }
  }
  /** Empty every cache */
  'POST /api/admin/cache/clear': {
    answer: {
      readonly cleared: readonly string[]
    }
  }
  /** Remove what a request was answered */
  'POST /api/admin/cache/forget': {
    body: {
      readonly request_id: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly forgotten: readonly string[]
    }
  }
  /** What the caches would do with a prompt, or with two */
  'POST /api/admin/cache/why': {
    body: {
      readonly prompt: string
      readonly other?: string
      readonly surface?: string
      readonly model?: string
      readonly [name: string]: unknown
    }
    answer: {
      readonly surface: string
      readonly surfaces: readonly string[]
      readonly model: string | null
      readonly answers: string | null
      readonly caches: Readonly<Record<string, {
        readonly hit: boolean
        readonly because: string
        readonly [name: string]: unknown
      }>>
    }
  }
  /** What requests cost and saved */
  'GET /debug/usage': {
    query?: {
      readonly hours?: number
    }
    answer: {
      readonly window_hours: number
      readonly usage_log_path: string
      readonly retention_days: number
      readonly total_requests: number
      readonly total_deflected_requests: number
      readonly total_prompt_tokens: number
      readonly total_completion_tokens: number
      readonly total_tokens: number
      readonly estimated_cost_usd: number | null
      readonly estimated_saved_cost_usd: number | null
      readonly deflection_rate: number
      readonly cached_read_tokens: number
      readonly cache_write_tokens: number
      readonly reasoning_tokens: number
      readonly saved_tokens: number
      readonly unpriced: number
      readonly estimated: number
      readonly entries: readonly {
        readonly provider: string
        readonly model: string
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly total_tokens: number
        readonly requests_total: number
        readonly deflected_total: number
        readonly failed_total: number
        readonly estimated_cost_usd: number | null
        readonly estimated_saved_cost_usd: number | null
        readonly cached_read_tokens: number
        readonly cache_write_tokens: number
        readonly reasoning_tokens: number
        readonly saved_tokens: number
        readonly unpriced: number
        readonly estimated: number
        readonly day: string
      }[]
    }
  }
  /** What requests cost and saved */
  'GET /api/admin/usage': {
    query?: {
      readonly hours?: number
    }
    answer: {
      readonly window_hours: number
      readonly usage_log_path: string
      readonly retention_days: number
      readonly total_requests: number
      readonly total_deflected_requests: number
      readonly total_prompt_tokens: number
      readonly total_completion_tokens: number
      readonly total_tokens: number
      readonly estimated_cost_usd: number | null
      readonly estimated_saved_cost_usd: number | null
      readonly deflection_rate: number
      readonly cached_read_tokens: number
      readonly cache_write_tokens: number
      readonly reasoning_tokens: number
      readonly saved_tokens: number
      readonly unpriced: number
      readonly estimated: number
      readonly entries: readonly {
        readonly provider: string
        readonly model: string
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly total_tokens: number
        readonly requests_total: number
        readonly deflected_total: number
        readonly failed_total: number
        readonly estimated_cost_usd: number | null
        readonly estimated_saved_cost_usd: number | null
        readonly cached_read_tokens: number
        readonly cache_write_tokens: number
        readonly reasoning_tokens: number
        readonly saved_tokens: number
        readonly unpriced: number
        readonly estimated: number
        readonly day: string
      }[]
    }
  }
  /** The same by provider and model, or by something else, and what is left of quotas */
  'GET /api/admin/usage/breakdown': {
    query?: {
      readonly hours?: number
      readonly by?: 'model' | 'key' | 'principal' | 'tag' | 'tool' | 'layer'
    }
    answer: {
      readonly window_hours: number
      readonly rows: readonly ({
        readonly provider: string
        readonly model: string
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly total_tokens: number
        readonly requests_total: number
        readonly deflected_total: number
        readonly failed_total: number
        readonly estimated_cost_usd: number | null
        readonly estimated_saved_cost_usd: number | null
        readonly cached_read_tokens: number
        readonly cache_write_tokens: number
        readonly reasoning_tokens: number
        readonly saved_tokens: number
        readonly unpriced: number
        readonly estimated: number
      } | {
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly total_tokens: number
        readonly requests_total: number
        readonly deflected_total: number
        readonly failed_total: number
        readonly estimated_cost_usd: number | null
        readonly estimated_saved_cost_usd: number | null
        readonly cached_read_tokens: number
        readonly cache_write_tokens: number
        readonly reasoning_tokens: number
        readonly saved_tokens: number
        readonly unpriced: number
        readonly estimated: number
        readonly [name: string]: unknown
      })[]
      readonly quota_status: readonly ({
        readonly provider: string
        readonly action: string
        readonly lines: readonly string[]
        readonly warnings: readonly string[]
        readonly windows: readonly {
          readonly window: 'minute' | 'daily' | 'weekly' | 'monthly'
          readonly unit: 'requests' | 'tokens' | 'usd'
          readonly limit: number
          readonly used: number
          readonly reserved: number
          readonly resets_at: string
        }[]
        readonly stale: boolean
      })[]
    }
  }
  /** The same over time, by layer or by something else */
  'GET /api/admin/usage/timeline': {
    query?: {
      readonly hours?: number
      readonly by?: 'model' | 'key' | 'principal' | 'tag' | 'tool' | 'layer'
      readonly step?: number
    }
    answer: {
      readonly window_hours: number
      readonly step_hours: number
      readonly by: string
      readonly points: readonly {
        readonly start: string
        readonly name: string
        readonly requests_total: number
        readonly deflected_total: number
        readonly failed_total: number
        readonly total_tokens: number
        readonly saved_tokens: number
        readonly estimated_cost_usd: number | null
        readonly estimated_saved_cost_usd: number | null
      }[]
    }
  }
  /** The process: its memory, and how long its event loop keeps others waiting */
  'GET /api/admin/process': {
    answer: {
      readonly uptime_secs: number
      readonly generation: number
      readonly memory_bytes: number
      readonly heap_used_bytes: number
      readonly loop_delay_ms: {
        readonly p50: number
        readonly p99: number
        readonly max: number
      } | null
    }
  }
  /** The gateway in one object */
  'GET /api/admin/overview': {
    answer: {
      readonly version: string
      readonly provider: string | null
      readonly model: string | null
      readonly uptime_secs: number
      readonly total_requests: number
      readonly total_deflected: number
      readonly deflection_rate: number
      readonly total_tokens: number
      readonly estimated_cost_usd: number
      readonly estimated_saved_cost_usd: number
      readonly l1a_entries: number
      readonly l1b_entries: number
      readonly request_logging_enabled: boolean
      readonly slm_router_enabled: boolean
      readonly offline_mode: boolean
      readonly context_optimizer: {
        readonly requests_shortened: number
        readonly bytes_saved: number
        readonly requests_marked: number
        readonly cached_tokens_read: number
        readonly cached_tokens_written: number
      }
      readonly quota_warnings: readonly string[]
    }
  }
}
