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

const name = z.string().min(1)
const text = z.string().nullable().optional()
const usd = z.number().nullable().optional().describe('USD, a guess; null where no price is known')

/** Lines of older versions of the log have fewer members. */
const line = {
  request_id: z.string(),
  timestamp: text.describe('ISO 8601: when it came'),
  kind: text,
  path: text,
  surface: text,
  client: text,
  tool: text,
  principal: text.describe('label of the gateway key'),
  tags: z.array(z.string()).nullable().optional(),
  model: text,
  provider: text,
  final_layer: text,
  deflected: z.boolean().nullable().optional(),
  status: z.int().nullable().optional(),
  error: text,
  latency_ms: z.number().nullable().optional(),
  cost_usd: usd,
  saved_cost_usd: usd,
  saved_tokens: z.number().nullable().optional(),
}
const entry = z.looseObject(line).describe('one request, redacted')

const attempt = z.looseObject({
  provider: z.string(),
  model: z.string().nullable(),
  key: z.string().nullable(),
  outcome: z.string().describe('answered, failed, cancelled, or refused: the vendor was not asked then'),
  status: z.int().nullable(),
  reason: z.string().nullable(),
  fault: z.string().optional().describe("what was wrong with the vendor's answer, in the gateway's own words"),
  ms: count,
  first_token_ms: z.number().nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  cost_usd: usd,
  omitted: z.array(z.string()).optional(),
})

const step = z.object({
  hook: z.string(),
  layer: z.string(),
  ms: count,
  outcome: z.string(),
  attempt: z
    .int()
    .optional()
    .describe('which attempt at a vendor it belongs to, counted from 1, where there were several'),
  cache: z.boolean().optional().describe('true where the layer keeps answers'),
  words: z.string().optional().describe('the outcome as a sentence, of which the layer is the subject'),
  neighbour: z
    .object({
      similarity: z.number(),
      probability: z.number().optional().describe('that both have the same answer'),
      id: z.string().describe('of the request that stored it'),
    })
    .optional()
    .describe('the stored prompt that the layer compared'),
})

const story = z.looseObject({
  source: z.enum(['memory', 'request_log']),
  ...line,
  method: text,
  resolved_by: text,
  trail: z.array(step).optional(),
  attempts: z.array(attempt).optional(),
  request_headers: z.record(z.string(), z.string()).optional(),
  request_body: text,
  request_body_truncated: z.boolean().optional(),
  response_status: z.int().optional(),
  response_headers: z.record(z.string(), z.string()).optional(),
  response_body: text,
  response_body_truncated: z.boolean().optional(),
})

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
    path: '/debug/stats/layers',
    summary: 'What each layer did with the last 1,000 requests, in the order of the pipeline',
    answer: z.object({
      layers: z.array(
        z.object({
          name: z.string(),
          label: z.string(),
          asked: count,
          answered: count,
          failed: count.describe('requests that failed here; all others passed on'),
          p50_ms: count.describe('time to answer or to pass; of a stream, to its beginning'),
          p99_ms: count,
        }),
      ),
    }),
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
    query: z.object({
      limit: z.int().min(1).max(10_000).optional().describe('at most 1000, unless brief'),
      q: name.optional().describe('a text that stands somewhere in it'),
      layer: name.optional(),
      status: z.int().optional().describe('a status, or its first digit'),
      client: name.optional(),
      tool: name.optional(),
      model: name.optional().describe('a part of its name'),
      key: name.optional().describe('label of the gateway key'),
      tag: name.optional(),
      brief: z.enum(['true', 'false']).optional().describe('without bodies, headers, steps and vendor calls'),
    }),
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
    answer: story,
    refusals: [404],
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
