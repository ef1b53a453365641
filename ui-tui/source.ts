import { z } from 'zod'

/** A request that is over. */
export interface LiveRequest {
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  readonly layer: string
  readonly status: number
  readonly ms: number
  readonly model: string | null
  readonly provider: string | null
  readonly client: string
  readonly tool: string
  /** Label of the gateway key that it came with. */
  readonly key: string | null
  readonly tags: readonly string[]
  readonly error: string | null
  /** Tokens; 0 where a vendor was asked. */
  readonly saved: number
  /** USD; `null` where it is not known. */
  readonly cost_usd: number | null
}

/** What follows the requests. */
export interface Follower {
  connected(): void
  request(request: LiveRequest): void
  missed(count: number): void
  lost(why: string): void
}

/** The gateway, as far as a terminal sees it: its admin endpoints. Those who start the terminal find it and its key. */
export interface Source {
  /** Where it is, for people. */
  address(): string
  /** GET; rejects with an error whose message is for people. `surface` has the path. */
  ask<T>(shape: z.ZodType<T>, question: { readonly path: string; readonly surface: string }): Promise<T>
  /** Tells of requests as they end until `signal`. Rejects where the gateway refuses or is away from the beginning. */
  follow(follower: Follower, signal: AbortSignal): Promise<void>
}

const text = z.string().nullable().default(null)
const number = z.number().nullable().default(null)
const counts = z.record(z.string(), z.number())

/** `/debug/stats/prompts` */
export const prompts = z.object({
  total_prompts: z.number(),
  total_deflected_prompts: z.number(),
  by_layer: counts,
  by_client: counts,
  by_tool: counts,
})

/** `/debug/stats/layers` */
export const layers = z.object({
  layers: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      asked: z.number(),
      answered: z.number(),
      p50_ms: z.number(),
      p99_ms: z.number(),
    }),
  ),
})

/** `/api/admin/providers` */
export const providers = z.object({
  providers: z.array(
    z.object({
      name: z.string(),
      active: z.boolean(),
      status: z.string(),
      model: text,
      endpoint: text,
      requests_total: z.number(),
      errors_total: z.number(),
      latency_ms: number,
      first_token_ms: number,
      circuit: z.string(),
      keys: z.array(
        z.object({
          masked_key: z.string(),
          label: text,
          status: z.string(),
          requests_total: z.number(),
          rate_limit_total: z.number(),
          cooldown_until: text,
        }),
      ),
      last_error: text,
      last_error_message: text,
    }),
  ),
})

/** `/api/admin/process` */
export const facts = z.object({
  uptime_secs: z.number(),
  generation: z.number(),
  memory_bytes: z.number(),
  loop_delay_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
})

/** `/api/admin/overview` */
export const overview = z.object({
  version: z.string(),
  total_requests: z.number(),
  estimated_cost_usd: z.number(),
  estimated_saved_cost_usd: z.number(),
  l1a_entries: z.number(),
  l1b_entries: z.number(),
  offline_mode: z.boolean(),
  quota_warnings: z.array(z.string()),
})

/** `/debug/stats/agents` */
export const agents = z.object({
  agents: z.record(
    z.string(),
    z.object({
      requests: z.number(),
      cache_hits: z.number(),
      cache_misses: z.number(),
      average_latency_ms: z.number(),
      retry_count: z.number(),
      error_count: z.number(),
    }),
  ),
})

/** `/api/admin/requests` */
export const recent = z.object({
  entries: z.array(
    z.object({
      request_id: z.string(),
      timestamp: z.string(),
      final_layer: z.string(),
      status: z.number().optional(),
      response_status: z.number().optional(),
      latency_ms: z.number(),
      model: text,
      provider: text,
      client: z.string().default('other'),
      tool: z.string().default('unknown'),
      principal: text,
      tags: z.array(z.string()).default([]),
      deflected: z.boolean().default(false),
      saved_tokens: number,
      cost_usd: number,
      error: text,
    }),
  ),
})

export type Prompts = z.output<typeof prompts>
export type Layer = z.output<typeof layers>['layers'][number]
export type Provider = z.output<typeof providers>['providers'][number]
export type Facts = z.output<typeof facts>
export type Overview = z.output<typeof overview>
export type Agents = z.output<typeof agents>['agents']
export type RecentEntry = z.output<typeof recent>['entries'][number]
