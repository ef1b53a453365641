import type { PendingEntry } from '../../../../plugins/observers/request-log/entry.ts'

/** A request that was answered from a cache; `at` in milliseconds since 1970. */
export const sampleEntry = (id: string, at: number): PendingEntry => ({
  record: {
    request_id: id,
    timestamp: new Date(at).toISOString(),
    kind: 'chat',
    method: 'POST',
    path: '/v1/chat/completions',
    hostname: 'localhost',
    surface: 'chat-completions',
    traffic_surface: 'gateway',
    endpoint_family: 'openai',
    client: 'direct',
    tool: 'unknown',
    model: 'm-1',
    provider: null,
    final_layer: 'l1a',
    resolved_by: 'exact-cache',
    deflected: true,
    status: 200,
    error: null,
    latency_ms: 1,
    trail: [],
    attempts: [],
  },
  requestHeaders: { 'content-type': 'application/json' },
  query: undefined,
  requestBody: Buffer.from('{"model":"m-1","messages":[]}'),
  requestBytes: 29,
  reply: () => undefined,
})
