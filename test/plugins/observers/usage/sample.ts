import type { UsageEvent } from '../../../../plugins/observers/usage/event.ts'

const USAGE = {
  prompt_tokens: 7,
  completion_tokens: 5,
  cached_read_tokens: 2,
  cache_write_tokens: 1,
  reasoning_tokens: 3,
  total_tokens: 15,
  estimated: false,
}

/** A request that one vendor call answered; `at` in milliseconds since 1970. */
export const sampleEvent = (id: string, at: number, more: Partial<UsageEvent> = {}): UsageEvent => ({
  timestamp: new Date(at).toISOString(),
  request_id: id,
  provider: 'acme',
  model: 'm-1',
  operation: 'chat',
  surface: 'chat-completions',
  client: 'direct',
  tool: 'unknown',
  principal: null,
  tags: [],
  final_layer: 'l3',
  deflected: false,
  status: 200,
  ...USAGE,
  estimated_cost_usd: 0.5,
  saved_cost_usd: 0,
  saved_tokens: 0,
  price: { input: 1, output: 2, source: 'listed' },
  attempts: [{ provider: 'acme', model: 'm-1', key: null, usage: USAGE, cost: 0.5, status: 200 }],
  ...more,
})
