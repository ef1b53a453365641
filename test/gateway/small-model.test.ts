import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Reply, startUpstream } from '../support/upstream.ts'

const ANSWER = 'def is_even(n): return n % 2 == 0'
const ASK = { model: 'm', messages: [{ role: 'user', content: 'Write is_even in Python' }] }
const PATH = '/v1/chat/completions'

/** A gateway with default settings, a vendor, and one server each that sorts and writes. */
async function started(settings: Readonly<Record<string, string>> = {}, reply: Reply = { text: ANSWER }) {
  const [vendor, intent, writer] = [await startUpstream(), await startUpstream(), await startUpstream()]
  intent.script(() => ({ text: 'SNIPPET' }))
  writer.script(() => reply)
  const gateway = await startGateway({
    upstream: vendor,
    settings: {
      SERVICE__ENABLE_SLM_ROUTER: 'true',
      SERVICE__LOCAL_SLM_URL: intent.url,
      SERVICE__LAYER2__SIDECAR_URL: writer.url,
      ...settings,
    },
  })
  return { gateway, vendor, intent, writer }
}

test('a simple request costs nothing, and what it saved is booked for the primary', async () => {
  const { gateway, vendor } = await started()
  const { headers, json } = await gateway.post(PATH, { ...ASK, model: 'gpt-4o-mini' })
  assert.is(headers.get('x-service-layer'), 'l2')
  assert.is(headers.get('x-service-deflected'), 'true')
  assert.is(headers.get('x-service-provider'), null)
  assert.is(json.object, 'chat.completion')
  assert.is(json.choices[0].message.content, ANSWER)
  assert.is(json.choices[0].finish_reason, 'stop')
  assert.is(vendor.calls.length, 0)
  await until('it is booked', async () => (await gateway.get('/debug/usage')).json.total_requests === 1)
  const { json: usage } = await gateway.get('/debug/usage')
  assert.is(usage.total_deflected_requests, 1)
  assert.is(usage.total_tokens, 0)
  assert.is(usage.estimated_cost_usd, 0)
  assert.ok(usage.estimated_saved_cost_usd > 0)
  const { json: stats } = await gateway.get('/debug/stats/prompts')
  assert.is(stats.recent[0].final_layer, 'l2')
  assert.is(stats.recent[0].resolved_by, 'slm')
})

test('each surface has it in its own format, whole and as a stream', async () => {
  const { gateway, vendor, writer } = await started({ SERVICE__SLM_ROUTER__ANSWER_TTL_SECS: '0' })
  const user = { role: 'user', content: 'Write is_even in Python' }
  const contents = [{ role: 'user', parts: [{ text: user.content }] }]
  const asks: [string, object, Record<string, string>?][] = [
    [PATH, { model: 'm', messages: [user] }],
    [PATH, { model: 'm', messages: [user] }, { 'x-cursor-checksum': 'c' }],
    [PATH, { model: 'm', messages: [user] }, { 'x-kiro-version': '1' }],
    ['/api/chat', { prompt: user.content }],
    ['/v1/messages', { model: 'm', max_tokens: 100, messages: [user] }],
    ['/v1/responses', { model: 'm', store: false, input: user.content }],
    ['/v1beta/models/m:generateContent', { contents }],
  ]
  for (const [path, body, headers] of asks)
    for (const stream of [false, true]) {
      const at = stream ? path.replace('generateContent', 'streamGenerateContent?alt=sse') : path
      const streaming = stream && !path.includes('generateContent') ? { stream } : {}
      const reply = await gateway.send(at, JSON.stringify({ ...body, ...streaming }), headers)
      assert.is(reply.status, 200, `${at}: ${reply.text}`)
      assert.is(reply.headers.get('x-service-layer'), 'l2', at)
      assert.match(reply.headers.get('content-type') ?? '', stream ? /event-stream/ : /json/, at)
      assert.match(reply.text, 'is_even', at)
    }
  assert.is(vendor.calls.length, 0)
  assert.is(writer.calls.length, asks.length * 2)
})

test('each format says how many tokens it took, also where the server does not count', async () => {
  const json = { choices: [{ message: { content: ANSWER }, finish_reason: 'stop' }] }
  const { gateway } = await started({ SERVICE__SLM_ROUTER__ANSWER_TTL_SECS: '0' }, { json })
  const { json: completion } = await gateway.post(PATH, ASK)
  const { prompt_tokens, completion_tokens, total_tokens } = completion.usage
  assert.equal([prompt_tokens, completion_tokens, total_tokens], [6, 9, 15])
  const stream_options = { include_usage: true }
  const { text } = await gateway.send(PATH, JSON.stringify({ ...ASK, stream: true, stream_options }))
  assert.match(text, /"choices":\[\],"usage":\{"prompt_tokens":6,/)
  const user = { role: 'user', content: 'Write is_even in Python' }
  const { json: message } = await gateway.post('/v1/messages', { model: 'm', max_tokens: 100, messages: [user] })
  assert.equal([message.usage.input_tokens, message.usage.output_tokens], [6, 9])
  const { json: response } = await gateway.post('/v1/responses', { model: 'm', store: false, input: user.content })
  assert.is(response.usage.total_tokens, 15)
  await until('they are booked', async () => (await gateway.get('/debug/usage')).json.total_requests === 4)
  assert.is((await gateway.get('/debug/usage')).json.estimated, 4)
})

test('a request for state at a vendor, and one that names its provider, go to the cloud', async () => {
  const { gateway, vendor, intent } = await started()
  assert.is((await gateway.post('/v1/responses', { model: 'm', input: 'Hi' })).headers.get('x-service-layer'), 'l3')
  const named = await gateway.post(PATH, { ...ASK, model: 'openai/m' })
  assert.is(named.headers.get('x-service-layer'), 'l3')
  assert.is(vendor.calls.length, 2)
  assert.is(intent.calls.length, 0)
})

test('health says how the small model is, and the cloud answers while it is away', async () => {
  const { gateway, writer, vendor } = await started()
  assert.is((await gateway.get('/health')).json.layers.l2, 'active')
  assert.is((await gateway.get('/api/admin/overview')).json.slm_router_enabled, true)
  await writer.close()
  const { headers } = await gateway.post(PATH, ASK)
  assert.is(headers.get('x-service-layer'), 'l3')
  const { json } = await gateway.get('/health')
  assert.is(json.layers.l2, 'degraded')
  assert.is(json.status, 'degraded')
  assert.is(vendor.calls.length, 1)
})

test.run()
