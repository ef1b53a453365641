import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'

const count = z.number().min(0)
const counts = z.record(z.string(), count)
const limit = z.int().min(0).max(1000).optional()

const decision = {
  timestamp: z.string(),
  client: z.string(),
  prompt_hash: z.string().nullable(),
  final_layer: z.string(),
  resolved_by: z.string().nullable(),
  deflected: z.boolean(),
  latency_ms: z.number(),
}

const agent = z.object({
  requests: count,
  cache_hits: count,
  cache_misses: count,
  l1a_hits: count,
  l1a_misses: count,
  l1b_hits: count,
  l1b_misses: count,
  average_latency_ms: count,
  retry_count: count,
  error_count: count,
  l1a_safety_ratio: z.number(),
  l1b_safety_ratio: z.number(),
})

const entry = z.record(z.string(), z.unknown()).describe('one request, redacted')
const name = z.string().min(1)

export const requestsEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/debug/stats/prompts',
    summary: 'Requests since the start, by layer, surface, client and tool',
    query: z.object({ limit }),
    answer: z.object({
      total_prompts: count,
      total_deflected_prompts: count,
      by_layer: counts,
      by_surface: counts,
      by_client: counts,
      by_tool: counts,
      recent: z.array(
        z.object({
          ...decision,
          traffic_surface: z.string(),
          endpoint_family: z.string(),
          route: z.string().nullable(),
          status_code: z.int(),
          tool: z.string(),
        }),
      ),
    }),
  },
  {
    method: 'GET',
    path: '/debug/stats/agents',
    summary: 'What each client tool did since the start',
    answer: z.object({ agents: z.record(z.string(), agent) }),
  },
  {
    method: 'GET',
    path: '/debug/proxy/recent',
    summary: 'The last requests that came through the proxy',
    query: z.object({ limit }),
    answer: z.object({
      entries: z.array(
        z.object({ ...decision, request_id: z.string(), hostname: z.string().nullable(), path: z.string().nullable() }),
      ),
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/requests',
    summary: 'The last requests, newest first',
    query: z.object({ limit, q: name.optional(), layer: name.optional(), status: z.int().optional() }),
    answer: z.object({
      enabled: z.boolean(),
      source: z.enum(['none', 'memory', 'request_log']),
      log_path: z.string().nullable(),
      entries: z.array(entry),
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/requests/:id',
    summary: 'One request, and the way that it went',
    answer: z.looseObject({ source: z.enum(['memory', 'request_log']) }),
  },
  { method: 'GET', path: '/api/admin/live', summary: 'Each request as it ends, as events', stream: true },
  {
    method: 'GET',
    path: '/api/admin/cache',
    summary: 'Counts of each cache',
    answer: z.object({ caches: z.record(z.string(), counts) }),
  },
  {
    method: 'POST',
    path: '/api/admin/cache/clear',
    summary: 'Empty every cache',
    answer: z.object({ cleared: z.array(z.string()) }),
  },
  {
    method: 'POST',
    path: '/api/admin/cache/forget',
    summary: 'Remove what a request was answered',
    body: z.looseObject({ request_id: name.max(200) }),
    answer: z.object({ forgotten: z.array(z.string()) }),
  },
  {
    method: 'POST',
    path: '/api/admin/cache/why',
    summary: 'What the caches would do with a prompt, or with two',
    body: z.looseObject({
      prompt: name,
      other: z.string().optional(),
      surface: z.string().optional(),
      model: z.string().optional(),
    }),
    answer: z.object({
      surface: z.string(),
      surfaces: z.array(z.string()),
      model: z.string().nullable(),
      answers: z.string().nullable(),
      caches: z.record(z.string(), z.looseObject({ hit: z.boolean(), because: z.string() })),
    }),
  },
]
