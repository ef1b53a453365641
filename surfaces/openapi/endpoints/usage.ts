import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'

const count = z.number().min(0)
const failed = count.describe('refused or failed; all other requests were answered')
const usd = z.number().nullable().describe('USD; null where no price is known')

const details = {
  cached_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  saved_tokens: count,
  unpriced: count,
  estimated: count,
}
const sums = {
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  requests_total: count,
  deflected_total: count,
  failed_total: failed,
  estimated_cost_usd: usd,
  estimated_saved_cost_usd: usd,
  ...details,
}
const row = z.object({ provider: z.string(), model: z.string(), ...sums })

const summary = z.object({
  window_hours: z.int(),
  usage_log_path: z.string(),
  retention_days: z.int(),
  total_requests: count,
  total_deflected_requests: count,
  total_prompt_tokens: count,
  total_completion_tokens: count,
  total_tokens: count,
  estimated_cost_usd: usd,
  estimated_saved_cost_usd: usd,
  deflection_rate: z.number().min(0).max(1),
  ...details,
  entries: z.array(row.extend({ day: z.string() })),
})

const quota = z.object({
  provider: z.string(),
  action: z.string(),
  lines: z.array(z.string()),
  warnings: z.array(z.string()),
  windows: z.array(
    z.object({
      window: z.enum(['minute', 'daily', 'weekly', 'monthly']),
      unit: z.enum(['requests', 'tokens', 'usd']),
      limit: z.number(),
      used: z.number(),
      reserved: z.number(),
      resets_at: z.string(),
    }),
  ),
  stale: z.boolean(),
})

const hours = z.int().min(1).optional().describe('the last so many hours')
const query = z.object({ hours })
const by = z.enum(['model', 'key', 'principal', 'tag', 'tool', 'layer']).optional()

export const usageEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/debug/usage', summary: 'What requests cost and saved', query, answer: summary },
  { method: 'GET', path: '/api/admin/usage', summary: 'What requests cost and saved', query, answer: summary },
  {
    method: 'GET',
    path: '/api/admin/usage/breakdown',
    summary: 'The same by provider and model, or by something else, and what is left of quotas',
    query: query.extend({ by }),
    answer: z.object({
      window_hours: z.int(),
      rows: z.array(z.union([row, z.looseObject(sums)])),
      quota_status: z.array(quota),
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/usage/timeline',
    summary: 'The same over time, by layer or by something else',
    query: query.extend({ by, step: z.int().optional().describe('hours of a point: 1, 2, 3, 4, 6, 8, 12 or 24') }),
    answer: z.object({
      window_hours: z.int(),
      step_hours: z.int(),
      by: z.string(),
      points: z.array(
        z.object({
          start: z.string().describe('ISO 8601'),
          name: z.string(),
          requests_total: count,
          deflected_total: count,
          failed_total: failed,
          total_tokens: count,
          saved_tokens: count,
          estimated_cost_usd: usd,
          estimated_saved_cost_usd: usd,
        }),
      ),
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/process',
    summary: 'The process: its memory, and how long its event loop keeps others waiting',
    answer: z.object({
      uptime_secs: count,
      generation: z.int().describe('counts the reloads, from 1 on'),
      memory_bytes: count.describe('resident'),
      heap_used_bytes: count,
      loop_delay_ms: z
        .object({ p50: count, p99: count, max: count })
        .nullable()
        .describe('of the last five seconds or so; null at the first look'),
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/overview',
    summary: 'The gateway in one object',
    answer: z.object({
      version: z.string(),
      provider: z.string().nullable(),
      model: z.string().nullable(),
      uptime_secs: count,
      total_requests: count,
      total_deflected: count,
      deflection_rate: z.number().min(0).max(1),
      total_tokens: count,
      estimated_cost_usd: count,
      estimated_saved_cost_usd: count,
      l1a_entries: count,
      l1b_entries: count,
      request_logging_enabled: z.boolean(),
      slm_router_enabled: z.boolean(),
      offline_mode: z.boolean(),
      context_optimizer: z.object({
        requests_shortened: count,
        bytes_saved: count,
        requests_marked: count.describe('whose vendor was told what to cache, by context_optimizer_breakpoints'),
        cached_tokens_read: count.describe('by requests that were marked'),
        cached_tokens_written: count.describe('by requests that were marked'),
      }),
      quota_warnings: z.array(z.string()),
    }),
  },
]
