import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The fields and their order, as section 3 of the decisions has them. */
const FIELDS = [
  'version',
  'provider',
  'model',
  'uptime_secs',
  'total_requests',
  'total_deflected',
  'deflection_rate',
  'total_tokens',
  'estimated_cost_usd',
  'estimated_saved_cost_usd',
  'l1a_entries',
  'l1b_entries',
  'request_logging_enabled',
  'slm_router_enabled',
  'offline_mode',
  'quota_warnings',
  'context_optimizer',
]

test('what has not happened is zero or false, and nothing is missing', async () => {
  const gateway = await startGateway({ settings: { SERVICE__OFFLINE_MODE: 'true' } })
  const { status, json, headers } = await gateway.get('/api/admin/overview')
  await gateway.close()
  assert.is(status, 200)
  assert.is(headers.get('cache-control'), 'no-store')
  assert.equal(Object.keys(json), FIELDS)
  const { version, uptime_secs, model, ...rest } = json
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.ok(uptime_secs >= 0)
  assert.equal(rest, {
    provider: 'openai',
    total_requests: 0,
    total_deflected: 0,
    deflection_rate: 0,
    total_tokens: 0,
    estimated_cost_usd: 0,
    estimated_saved_cost_usd: 0,
    l1a_entries: 0,
    l1b_entries: 0,
    request_logging_enabled: false,
    slm_router_enabled: false,
    offline_mode: true,
    quota_warnings: [],
    context_optimizer: {
      requests_shortened: 0,
      bytes_saved: 0,
      requests_marked: 0,
      cached_tokens_read: 0,
      cached_tokens_written: 0,
    },
  })
})

test('requests, hits, entries and limits that are near are told', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__ENABLE_REQUEST_LOGS: 'true',
      SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1',
    },
  })
  assert.is((await gateway.post('/api/chat', { prompt: 'What is a heron?' })).status, 200)
  assert.is((await gateway.post('/api/chat', { prompt: 'What is a heron?' })).json.layer, 1)
  const { json } = await gateway.get('/api/admin/overview')
  await gateway.close()
  assert.equal(
    [json.model, json.total_requests, json.total_deflected, json.deflection_rate, json.l1a_entries],
    ['stub-model', 2, 1, 0.5, 1],
  )
  assert.ok(json.total_tokens > 0)
  assert.is(json.request_logging_enabled, true)
  assert.ok(json.quota_warnings.length > 0)
  assert.match(json.quota_warnings[0], 'openai')
})

test('what the context optimiser saved is told, and what vendors had in their caches by its marks', async () => {
  const upstream = await startUpstream()
  const settings = { SERVICE__CONTEXT_OPTIMIZER_BREAKPOINTS: 'true' }
  const gateway = await startGateway({ upstream, provider: 'anthropic', settings })
  const usage = { input_tokens: 5, output_tokens: 5, cache_read_input_tokens: 2_000, cache_creation_input_tokens: 300 }
  upstream.script({
    json: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: 'end_turn', usage },
  })
  const { headers } = await gateway.post('/v1/messages', {
    model: 'm',
    max_tokens: 9,
    system: '- Be brief.\n<!-- x -->',
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: 'hi' }],
  })
  assert.is(headers.get('x-service-context-optimized'), 'bytes_saved=12')
  assert.equal((await gateway.get('/api/admin/overview')).json.context_optimizer, {
    requests_shortened: 1,
    bytes_saved: 12,
    requests_marked: 1,
    cached_tokens_read: 2_000,
    cached_tokens_written: 300,
  })
})

test.run()
