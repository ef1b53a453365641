import { createRequire } from 'node:module'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { z } from 'zod'
import { VALUES } from '../../plugins/observers/metrics/labels.ts'
import { startCollector } from '../support/collector.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { parsePrometheus, type Sample } from '../support/prometheus.ts'
import { blocksIn, nameOf } from '../support/readme.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const PATH = '/v1/chat/completions'
const KEY = { 'x-api-key': 'canary-key' }
const SECURED = { SERVICE__GATEWAY_API_KEY: 'canary-key' }
const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })

async function scrape(gateway: TestGateway): Promise<readonly Sample[]> {
  const reply = await fetch(`${gateway.url}/metrics`, { headers: KEY })
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return parsePrometheus(await reply.text())
}
const sumOf = (samples: readonly Sample[], name: string, labels: Record<string, string>): number =>
  samples
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)

test('every metric of the specification is there, with its attributes, as Prometheus reads it', async () => {
  const settings = { ...SECURED, SERVICE__ENABLE_METRICS: 'true' }
  const gateway = await startGateway({ upstream, settings })
  upstream.script({ status: 500 }, { text: 'a bird', usage: { input: 9, output: 3 } }, { status: 400 })
  const curl = { ...KEY, 'user-agent': 'curl/8' }
  await gateway.post(PATH, chat('a private question'), curl)
  await gateway.post(PATH, chat('a private question'), curl)
  await gateway.post(PATH, chat('refused'), curl)
  await gateway.post(PATH, chat('no key'), { 'user-agent': 'curl/8' })
  let samples: readonly Sample[] = []
  await until('four requests are counted', async () => {
    samples = await scrape(gateway)
    return sumOf(samples, 'service_requests_total', {}) === 4
  })
  const who = { traffic_surface: 'gateway', client: 'direct', endpoint_family: 'openai', tool: 'curl' }
  const counted = (final_layer: string, status_code: string): number =>
    sumOf(samples, 'service_requests_total', { ...who, final_layer, status_code })
  assert.equal(
    [
      counted('L3_Cloud', '200'),
      counted('L1a_ExactCache', '200'),
      counted('L3_Cloud', '400'),
      counted('L0_Auth', '401'),
    ],
    [1, 1, 1, 1],
  )
  assert.is(sumOf(samples, 'service_request_duration_seconds_count', { final_layer: 'L1a_ExactCache' }), 1)
  assert.is(sumOf(samples, 'service_layer_duration_seconds_count', { layer_name: 'L1a_ExactCache', tool: 'curl' }), 3)
  const bytes = JSON.stringify(chat('a private question')).length
  assert.is(
    sumOf(samples, 'service_tokens_saved_total', { ...who, final_layer: 'L1a_ExactCache' }),
    Math.floor(bytes / 4),
  )
  assert.is(sumOf(samples, 'service_errors_total', { layer: 'L0_Auth', error_class: 'unauthorized', tool: 'curl' }), 1)
  assert.is(sumOf(samples, 'service_errors_total', { layer: 'L3_Cloud', error_class: 'vendor_refused' }), 1)
  const retried = { operation: 'chat', attempts: '2', outcome: 'success', tool: 'curl' }
  assert.is(sumOf(samples, 'service_retries_total', retried), 1)
  const cache = (outcome: string): number =>
    sumOf(samples, 'service_cache_events_total', { cache_layer: 'L1a_ExactCache', outcome, tool: 'curl' })
  assert.equal([cache('hit'), cache('miss'), cache('stored')], [1, 2, 1])
  const call = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'openai', gen_ai_request_model: 'm' }
  assert.is(sumOf(samples, 'gen_ai_client_operation_duration_seconds_count', call), 3)
  assert.is(sumOf(samples, 'gen_ai_client_operation_duration_seconds_count', { ...call, error_type: '500' }), 1)
  assert.is(sumOf(samples, 'gen_ai_client_token_usage_sum', { ...call, gen_ai_token_type: 'input' }), 9)
  assert.is(sumOf(samples, 'gen_ai_client_token_usage_sum', { ...call, gen_ai_token_type: 'output' }), 3)
  const route = { http_request_method: 'POST', http_route: PATH }
  const calls = (status: string): number =>
    sumOf(samples, 'http_server_request_duration_seconds_count', { ...route, http_response_status_code: status })
  assert.equal([calls('200'), calls('400'), calls('401')], [2, 1, 1])
  assert.not.match(JSON.stringify(samples), /private|canary|bird/)
})

test('a stream has a time for each token behind the first content, where its vendor counted them', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__ENABLE_METRICS: 'true' } })
  upstream.script({ text: 'one two three', frameDelayMs: 5, usage: { input: 9, output: 3 } }, { text: 'uncounted' })
  await gateway.stream(PATH, chat('count'))
  await gateway.post(PATH, chat('whole'))
  const of = (samples: readonly Sample[], part: string): number =>
    sumOf(samples, `gen_ai_server_time_per_output_token_seconds_${part}`, { gen_ai_request_model: 'm' })
  let samples: readonly Sample[] = []
  await until('both are counted', async () => {
    samples = await scrape(gateway)
    return sumOf(samples, 'gen_ai_client_operation_duration_seconds_count', {}) === 2
  })
  assert.is(of(samples, 'count'), 1)
  assert.ok(of(samples, 'sum') > 0)
  assert.is((await gateway.gateway.reload()).ok, true)
  await gateway.post(PATH, chat('whole'))
  await until('a call after a reload is counted once', async () => {
    samples = await scrape(gateway)
    const counted = sumOf(samples, 'http_server_request_duration_seconds_count', { http_route: PATH })
    if (counted > 3) throw new Error(`${counted} calls`)
    return counted === 3
  })
})

test('whatever clients say, no label has a value beside those of the table', async () => {
  const gateway = await startGateway({
    upstream,
    settings: { SERVICE__ENABLE_METRICS: 'true', SERVICE__CACHE_MODE: 'exact' },
  })
  const said = async (agent: string, model: string): Promise<unknown> =>
    gateway.post(PATH, chat(agent, { model }), { 'user-agent': agent })
  for (let i = 0; i < 120; i++) await said(`agent-${i}/1 "quoted" \\ back`, `model-${i}`)
  await until('all are counted', async () => sumOf(await scrape(gateway), 'service_requests_total', {}) === 120)
  const samples = await scrape(gateway)
  for (const { name, labels } of samples)
    for (const [label, value] of Object.entries(labels))
      if (VALUES[label]) assert.ok(VALUES[label].includes(value), `${name} has ${label}="${value}"`)
  const models = new Set(samples.flatMap(({ labels }) => labels.gen_ai_request_model ?? []))
  assert.is(models.size, 101)
  assert.ok(models.has('other'))
})

test('a request that may not leave the machine is counted under the last layer, and no telemetry library is loaded', async () => {
  const gateway = await startGateway({
    upstream,
    settings: { SERVICE__ENABLE_METRICS: 'true', SERVICE__OFFLINE_MODE: 'true' },
  })
  assert.is((await gateway.post(PATH, chat('offline'))).status, 503)
  const refused = { final_layer: 'L3_Cloud', status_code: '503' }
  await until('it is counted', async () => sumOf(await scrape(gateway), 'service_requests_total', refused) === 1)
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  assert.equal(
    loaded.filter(file => file.includes('node_modules/@opentelemetry/')),
    [],
  )
})

test('the metrics are the operator’s, and nobody’s while they are off', async () => {
  const off = await startGateway({ upstream })
  assert.is((await off.get('/metrics')).status, 404)
  const on = await startGateway({ upstream, settings: { ...SECURED, SERVICE__ENABLE_METRICS: 'true' } })
  assert.is((await on.get('/metrics')).status, 401)
})

test('the scrape configuration of the README reads them', async () => {
  const scraped = z.object({
    scrape_configs: z.tuple([
      z.object({
        metrics_path: z.string(),
        authorization: z.object({ credentials: z.string() }),
        static_configs: z.tuple([z.object({ targets: z.tuple([z.literal('127.0.0.1:8080')]) })]),
      }),
    ]),
  })
  const told = blocksIn('yaml').find(block => nameOf(block) === 'prometheus.yml')
  const [{ metrics_path: path, authorization }] = scraped.parse(parse(told?.text ?? '')).scrape_configs
  const keys = blocksIn('toml').find(({ text }) => text.includes('gateway_api_key ='))
  const gateway = await startGateway({ upstream, file: `enable_metrics = true\n${keys?.text}` })
  await gateway.post('/api/chat', { prompt: 'hello' }, { 'x-api-key': authorization.credentials })
  // Prometheus sends credentials as a bearer, unless told otherwise.
  assert.is((await fetch(gateway.url + path)).status, 401)
  await until('the request is counted', async () => {
    const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${authorization.credentials}` } })
    return reply.status === 200 && sumOf(parsePrometheus(await reply.text()), 'service_requests_total', {}) === 1
  })
})

test('with monitoring on they are exported over OTLP under the same names, and each vendor call is a span', async () => {
  const collector = await startCollector()
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__ENABLE_MONITORING: 'true',
      SERVICE__OTEL_EXPORTER_ENDPOINT: collector.url,
      SERVICE__PROPAGATE_TRACE: 'true',
    },
  })
  upstream.script({ status: 500 }, { text: 'a bird', usage: { input: 9, output: 3 } })
  await gateway.post(PATH, chat('a private question'))
  await gateway.post(PATH, chat('a private question'))
  await gateway.close()
  const named = (name: string) => {
    const found = collector.metrics.findLast(metric => metric.name === name)
    if (!found) throw new Error(`no ${name} in ${collector.metrics.map(metric => metric.name)}`)
    return found
  }
  const requests = named('service_requests_total').sum
  assert.equal([requests?.isMonotonic, requests?.aggregationTemporality], [true, 2])
  assert.equal(
    requests?.dataPoints.map(({ attributes, asInt }) => [attributes.final_layer, attributes.status_code, asInt]),
    [
      ['L3_Cloud', '200', 1],
      ['L1a_ExactCache', '200', 1],
    ],
  )
  const durations = named('gen_ai.client.operation.duration')
  assert.is(durations.unit, 's')
  const counts = durations.histogram?.dataPoints.map(({ attributes, count }) => [attributes['error.type'], count])
  assert.equal(counts, [
    ['500', 1],
    [undefined, 1],
  ])
  const [point] = durations.histogram?.dataPoints ?? []
  assert.is(point?.bucketCounts?.length, (point?.explicitBounds?.length ?? 0) + 1)

  const asked = collector.spans.find(({ name }) => name === 'layer3_llm')
  const calls = collector.spans.filter(({ name }) => name === 'chat m')
  assert.equal(
    calls.map(({ parentSpanId, kind, attributes }) => [parentSpanId, kind, attributes['service.attempt']]),
    [
      [asked?.spanId, 3, '1'],
      [asked?.spanId, 3, '2'],
    ],
  )
  assert.equal([calls[0]?.attributes['error.type'], calls[0]?.status.code], ['500', 2])
  assert.is(calls[1]?.attributes['gen_ai.usage.input_tokens'], '9')
  assert.is(calls[1]?.attributes['gen_ai.provider.name'], 'openai')
  assert.is(upstream.calls[0]?.headers.traceparent, `00-${asked?.traceId}-${asked?.spanId}-01`)
  assert.not.match(collector.bytes().toString('latin1'), /private question|a bird|test-key/)
})

test('a client’s traceparent reaches vendors only where the setting says so, and only a well-formed one', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const sent = async (settings: Record<string, string>, value: string): Promise<unknown> => {
    const gateway = await startGateway({ upstream, settings })
    await gateway.post(PATH, chat('hello'), { traceparent: value })
    await gateway.close()
    return upstream.calls.at(-1)?.headers.traceparent
  }
  const on = { SERVICE__PROPAGATE_TRACE: 'true' }
  assert.equal(
    [await sent({}, traceparent), await sent(on, traceparent), await sent(on, 'x'.repeat(9))],
    [undefined, traceparent, undefined],
  )
})

test.run()
