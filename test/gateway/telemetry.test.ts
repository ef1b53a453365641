import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../core/host.ts'
import { traces } from '../../core/traces.ts'
import { type ExportedSpan, startCollector } from '../support/collector.ts'
import { DEFAULT_PIPELINE, type Start, startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const UNSET = 0
const ERROR = 2
const SERVER = 2

const upstream = await startUpstream()
const collector = await startCollector()
test.before.each(() => {
  upstream.clear()
  collector.clear()
})
/** What a test opened is closed also when it fails, or the process would never end. */
const open: { close(): unknown }[] = []
const closing = <T extends { close(): unknown }>(one: T): T => {
  open.push(one)
  return one
}
const opened = async (start: Start): Promise<TestGateway> => closing(await startGateway(start))
test.after.each(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
test.after(async () => {
  collector.close()
  await upstream.close()
})

const isSdkLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some(file => file.includes('node_modules/@opentelemetry/'))
const isWatched = (): boolean => Object.values(traces).some(channel => channel.hasSubscribers)

const monitored = (url: string, more: Start['settings'] = {}): NonNullable<Start['settings']> => ({
  SERVICE__ENABLE_MONITORING: 'true',
  SERVICE__OTEL_EXPORTER_ENDPOINT: url,
  ...more,
})

/** Asks a monitored gateway, closes it, and gives what it exported. */
async function traced(
  ask: (gateway: TestGateway) => Promise<unknown>,
  { settings, ...start }: Start = {},
): Promise<readonly ExportedSpan[]> {
  const gateway = await opened({ upstream, ...start, settings: monitored(collector.url, settings) })
  await ask(gateway)
  await gateway.close()
  return collector.spans
}

const rootOf = (spans: readonly ExportedSpan[]): ExportedSpan => {
  const [root, other] = spans.filter(({ name }) => name === 'gateway_request')
  if (!root || other) throw new Error(`not one root in: ${spans.map(({ name }) => name)}`)
  return root
}
/** The traces in the order of their calls, each its root and the spans under it. */
const byCall = (spans: readonly ExportedSpan[]): { root: ExportedSpan; under: ExportedSpan[] }[] =>
  spans
    .filter(({ name }) => name === 'gateway_request')
    .sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano))
    .map(root => ({
      root,
      under: spans
        .filter(({ parentSpanId, traceId }) => parentSpanId === root.spanId && traceId === root.traceId)
        .sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano)),
    }))
const named = (spans: readonly ExportedSpan[], name: string): ExportedSpan => {
  const found = spans.find(span => span.name === name)
  if (!found) throw new Error(`no ${name} in: ${spans.map(span => span.name)}`)
  return found
}
const OPTIMISER = 'layer2_5_context_optimizer'
const names = (spans: readonly ExportedSpan[]): string[] => spans.map(({ name }) => name)
const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })

test('without monitoring nobody watches and no telemetry library is loaded', async () => {
  const gateway = await opened({ upstream })
  assert.is((await gateway.post('/api/chat', { prompt: 'unwatched?' })).status, 200)
  assert.is(isWatched(), false)
  assert.is(isSdkLoaded(), false)
})

test('with monitoring somebody watches until the gateway is closed', async () => {
  const gateway = await opened({ upstream, settings: monitored(collector.url) })
  assert.is(isWatched(), true)
  assert.is(isSdkLoaded(), true)
  await gateway.close()
  assert.is(isWatched(), false)
})

test('a miss is a root with the lookup, the cloud and the write-back under it; a hit has its lookup alone', async () => {
  const spans = await traced(async gateway => {
    await gateway.post('/api/chat', { prompt: 'a heron?' })
    await gateway.post('/api/chat', { prompt: 'a heron?' })
  })
  const [miss, hit] = byCall(spans)
  assert.equal(names(miss?.under ?? []), ['l1a_exact_cache_get', OPTIMISER, 'layer3_llm', 'l1a_exact_cache_put'])
  assert.equal(names(hit?.under ?? []), ['l1a_exact_cache_get'])
  // The vendor call stands under the cloud.
  assert.is(spans.length, 8)
  assert.is(miss?.root.kind, SERVER)
  assert.is(miss?.root.parentSpanId, '')
  const call = {
    'http.method': 'POST',
    'http.request.method': 'POST',
    'http.route': '/api/chat',
    'url.path': '/api/chat',
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
    'client.address': '127.0.0.1',
    'http.status_code': '200',
    'http.response.status_code': '200',
  }
  const { 'server.port': port, 'user_agent.original': agent, ...known } = miss?.root.attributes ?? {}
  assert.match(`${port} ${agent}`, /^\d+ node$/)
  assert.equal(known, { ...call, 'service.final_layer': 'L3_Cloud' })
  assert.is(hit?.root.attributes['service.final_layer'], 'L1a_ExactCache')
  assert.is(hit?.root.status.code, UNSET)

  const [get, optimiser, cloud, put] = miss?.under ?? []
  const key = get?.attributes['cache.key']
  assert.match(String(key), /^[0-9a-f]{64}$/)
  const cache = { 'cache.backend': 'memory', 'cache.key': key }
  assert.equal(get?.attributes, { ...cache, 'cache.hit': false, 'service.outcome': 'miss' })
  assert.equal(hit?.under[0]?.attributes, { ...cache, 'cache.hit': true, 'service.outcome': 'hit' })
  const { response_len, ...rest } = put?.attributes ?? {}
  assert.ok(Number(response_len) > 0)
  assert.equal(rest, { ...cache, 'service.outcome': 'stored' })
  assert.equal(optimiser?.attributes, {
    'context.bytes_saved': '0',
    'context.strategy': 'no_instructions',
    'service.outcome': 'no_instructions',
  })
  assert.equal(cloud?.attributes, {
    'ai.prompt.length_bytes': String(Buffer.byteLength(JSON.stringify({ prompt: 'a heron?' }))),
    'provider.name': 'openai',
    model: 'stub-model',
    'service.outcome': 'answered',
  })
  assert.equal(collector.services.at(-1)?.['service.name'], 'service-gateway')
})

test('a tool that an MCP client calls has a span of its own, which says whether it failed', async () => {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
  const call = (name: string, given: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  })
  const spans = await traced(async gateway => {
    await gateway.post('/mcp/', call('service_chat', { prompt: 'a secret heron?' }), headers)
    await gateway.post('/mcp/', call('service_chat', { prompt: 7 }), headers)
    await gateway.post('/mcp/', call('no_such_tool', {}), headers)
  })
  const tools = spans.filter(({ name }) => name === 'tools/call service_chat')
  const roots = byCall(spans).map(({ root }) => root)
  assert.equal(
    tools.map(({ kind, parentSpanId, status, attributes }) => [kind, parentSpanId, status.code, attributes]),
    [undefined, 'tool_error'].map((type, at) => [
      SERVER,
      roots[at]?.spanId,
      type ? ERROR : UNSET,
      {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'service_chat',
        'gen_ai.operation.name': 'execute_tool',
        'network.transport': 'tcp',
        'mcp.protocol.version': '2026-07-28',
        'jsonrpc.request.id': '1',
        ...(type && { 'error.type': type }),
      },
    ]),
  )
  assert.is(roots.length, 3)
  assert.not.match(collector.bytes().toString('latin1'), /secret heron|no_such_tool/)
})

test('the span of the cloud names the fields that a vendor was not told, and no value', async () => {
  const spans = await traced(gateway =>
    gateway.post('/v1/chat/completions', chat('a swan?', { top_k: 40, logit_bias: { 11: 5 }, seed: 7 })),
  )
  const [call] = byCall(spans)
  assert.is(named(call?.under ?? [], 'layer3_llm').attributes['service.omitted'], undefined)
  const translated = await traced(gateway =>
    gateway.post('/v1/messages', {
      model: 'm',
      max_tokens: 9,
      top_k: 40,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a crane?', cache_control: { type: 'ephemeral' } }] }],
    }),
  )
  const span = named(byCall(translated).at(-1)?.under ?? [], 'layer3_llm')
  assert.is(span.attributes['service.omitted'], 'openai: top_k, openai: cache_control')
})

test('the semantic cache says what it scanned, what was nearest and why it was taken or refused', async () => {
  let ids: (string | null)[] = []
  const spans = await traced(
    async gateway => {
      const prompts = ['the HTTP status code 404', 'HTTP status 404', 'the HTTP status code 403']
      for (const what of prompts) {
        const { headers } = await gateway.post('/api/chat', { prompt: `What does ${what} mean?` })
        ids = [...ids, headers.get('x-service-request-id')]
      }
    },
    { settings: { SERVICE__CACHE_MODE: 'both' } },
  )
  const [first, similar, refused] = byCall(spans)
  assert.equal(names(first?.under ?? []), [
    'l1a_exact_cache_get',
    'l1b_semantic_cache_search',
    OPTIMISER,
    'layer3_llm',
    'l1a_exact_cache_put',
    'l1b_semantic_cache_insert',
  ])
  assert.equal(named(first?.under ?? [], 'l1b_semantic_cache_search').attributes, {
    'cache.entries_scanned': '0',
    'cache.hit': false,
    'service.outcome': 'miss',
  })
  assert.equal(named(first?.under ?? [], 'l1b_semantic_cache_insert').attributes, {
    'cache.evicted': '0',
    'cache.size_after': '1',
    'service.outcome': 'stored',
  })

  assert.equal(names(similar?.under ?? []), ['l1a_exact_cache_get', 'l1b_semantic_cache_search', 'l1a_exact_cache_put'])
  assert.is(similar?.root.attributes['service.final_layer'], 'L1b_SemanticCache')
  const hit = named(similar?.under ?? [], 'l1b_semantic_cache_search').attributes
  assert.match(String(hit.cosine_similarity), /^0\.\d{4}$/)
  assert.match(String(hit['cache.probability']), /^[01]\.\d{4}$/)
  assert.equal(hit, {
    'cache.entries_scanned': '1',
    'cache.hit': true,
    'cache.reason': 'similar',
    'cache.neighbour_id': ids[0],
    cosine_similarity: hit.cosine_similarity,
    'cache.probability': hit['cache.probability'],
    'service.outcome': `similar ${hit.cosine_similarity} ${hit['cache.probability']} ${ids[0]}`,
  })

  const near = named(refused?.under ?? [], 'l1b_semantic_cache_search').attributes
  assert.match(String(near.cosine_similarity), /^0\.\d{4}$/)
  assert.is(near['cache.hit'], false)
  assert.is(near['cache.neighbour_id'], ids[0])
  assert.match(String(near['cache.reason']), /^refused \w+$/)
  assert.is(named(refused?.under ?? [], 'l1b_semantic_cache_insert').attributes['cache.size_after'], '2')
})

test('an insert that lets another entry go says so', async () => {
  const spans = await traced(
    async gateway => {
      await gateway.post('/api/chat', { prompt: 'What is a heron?' })
      await gateway.post('/api/chat', { prompt: 'Who wrote Middlemarch?' })
    },
    { settings: { SERVICE__CACHE_MODE: 'semantic', SERVICE__CACHE_MAX_CAPACITY: '1' } },
  )
  const { attributes } = named(byCall(spans)[1]?.under ?? [], 'l1b_semantic_cache_insert')
  assert.equal([attributes['cache.evicted'], attributes['cache.size_after']], ['1', '1'])
})

test('no prompt, answer, key or session leaves with the spans', async () => {
  const secrets = [
    'Zanzibar',
    'Marzipan',
    'gateway-secret',
    'test-key',
    'session-secret',
    'bearer-secret',
    'field-secret',
  ]
  upstream.script(() => ({ text: 'Marzipan, surely.' }), { status: 400 })
  await traced(
    async gateway => {
      const headers = {
        'x-api-key': 'gateway-secret',
        'x-service-session-id': 'session-secret',
        authorization: 'Bearer bearer-secret',
      }
      for (const prompt of ['What grows in Zanzibar?', 'What grows on Zanzibar?'])
        await gateway.post('/api/chat', { prompt, field: 'field-secret' }, headers)
      await gateway.post('/api/chat?key=gateway-secret', { prompt: 'Zanzibar without a key' }, {})
      await gateway.send('/v1/chat/completions', '{"Zanzibar', headers)
    },
    { settings: { SERVICE__CACHE_MODE: 'both', SERVICE__GATEWAY_API_KEY: 'gateway-secret' } },
  )
  assert.ok(collector.spans.length > 8)
  const bytes = collector.bytes()
  assert.ok(bytes.includes('l1b_semantic_cache_search'), 'the bytes can be looked through')
  for (const secret of secrets) assert.not.ok(bytes.includes(secret), secret)
})

test("a valid traceparent of the client is the root's parent, any other is none, and neither goes upstream", async () => {
  const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const spans = await traced(async gateway => {
    const told = { traceparent: `00-${trace}-${parent}-01`, tracestate: 'whoever=client-words' }
    await gateway.post('/api/chat', { prompt: 'one?' }, told)
    await gateway.post('/api/chat', { prompt: 'two?' }, { traceparent: `00-${'0'.repeat(32)}-${parent}-01` })
  })
  const [valid, other] = byCall(spans)
  assert.equal([valid?.root.traceId, valid?.root.parentSpanId], [trace, parent])
  assert.is(valid?.under.length, 4)
  assert.is.not(other?.root.traceId, '0'.repeat(32))
  assert.is(other?.root.parentSpanId, '')
  assert.equal(
    upstream.calls.map(({ headers }) => headers.traceparent),
    [undefined, undefined],
  )
})

test('the sampler of the environment says which calls are traced', async () => {
  process.env.OTEL_TRACES_SAMPLER = 'always_off'
  try {
    assert.equal(await traced(gateway => gateway.post('/api/chat', { prompt: 'off?' })), [])
  } finally {
    delete process.env.OTEL_TRACES_SAMPLER
  }
  assert.is(byCall(await traced(gateway => gateway.post('/api/chat', { prompt: 'on?' }))).length, 1)
})

test('what the client does not sample is not exported', async () => {
  const told = { traceparent: `00-${'4'.repeat(32)}-${'5'.repeat(16)}-00` }
  const spans = await traced(async gateway => {
    await gateway.post('/api/chat', { prompt: 'unsampled?' }, told)
    await gateway.post('/api/chat', { prompt: 'sampled?' })
  })
  assert.is(byCall(spans).length, 1)
  assert.ok(spans.every(({ traceId }) => traceId !== '4'.repeat(32)))
})

test('the root of a stream and its cloud call last until its last word', async () => {
  upstream.script(() => ({ text: 'one two three four five', frameDelayMs: 30 }))
  const spans = await traced(gateway => gateway.stream('/v1/chat/completions', chat('streamed?')))
  const [call] = byCall(spans)
  const lasted = ({ startTimeUnixNano: from, endTimeUnixNano: to }: ExportedSpan): bigint => to - from
  const put = named(call?.under ?? [], 'l1a_exact_cache_put')
  const cloud = named(call?.under ?? [], 'layer3_llm')
  // Five words cannot come in less; were it over with the first one, it would be a few milliseconds.
  assert.ok(lasted(cloud) >= 100_000_000n)
  assert.ok(lasted(rootOf(spans)) >= 100_000_000n)
  assert.ok(put.startTimeUnixNano >= cloud.startTimeUnixNano + 100_000_000n)
})

test('a stream that breaks is an error of the cloud and of the request, whatever its head said', async () => {
  upstream.script(() => ({ text: 'one two three four five', dieAfter: 3 }))
  const spans = await traced(gateway => gateway.stream('/v1/chat/completions', chat('broken?')))
  assert.is(named(spans, 'layer3_llm').status.code, ERROR)
  const { status, attributes } = rootOf(spans)
  assert.is(attributes['http.status_code'], '200')
  assert.is(status.code, ERROR)
})

test('a stream that is passed on and not kept is no error', async () => {
  const spans = await traced(gateway => gateway.stream('/v1/chat/completions', { ...chat('two of it?'), n: 2 }))
  assert.is(named(spans, 'layer3_llm').status.code, UNSET)
  assert.is(rootOf(spans).status.code, UNSET)
})

test('a failure is an error with its code on the layer and on the root', async () => {
  upstream.script(...Array.from({ length: 9 }, () => ({ status: 401 })))
  const spans = await traced(gateway => gateway.post('/api/chat', { prompt: 'failing?' }))
  const cloud = named(spans, 'layer3_llm')
  assert.is(cloud.status.code, ERROR)
  assert.is(cloud.attributes['provider.name'], 'openai')
  const { status, attributes } = rootOf(spans)
  assert.is(status.code, ERROR)
  assert.is(attributes['http.status_code'], '502')
  assert.is(attributes['service.final_layer'], 'L3_Cloud')
  assert.match(String(attributes['error.type']), /^[a-z_]+$/)
  assert.is(attributes['error.type'], cloud.attributes['error.type'])
})

test('the provider that answered is named, with the model it was asked for', async () => {
  const backup = closing(await startUpstream())
  upstream.script(...Array.from({ length: 9 }, () => ({ status: 401 })))
  const fallback = [{ provider: 'groq', model: 'spare', api_key: 'k', url: backup.url }]
  const spans = await traced(gateway => gateway.post('/api/chat', { prompt: 'who else?' }), {
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
  })
  const { attributes } = named(spans, 'layer3_llm')
  assert.equal([attributes['provider.name'], attributes.model], ['groq', 'spare'])
})

test('who is refused at admission is a root alone, and no error of ours', async () => {
  const spans = await traced(gateway => gateway.post('/api/chat', { prompt: 'no key?' }), {
    settings: { SERVICE__GATEWAY_API_KEY: 'gateway-secret' },
  })
  assert.is(spans.length, 1)
  const { attributes, status } = rootOf(spans)
  assert.equal([attributes['http.status_code'], attributes['service.final_layer']], ['401', 'L0_Auth'])
  assert.is(status.code, UNSET)
})

test('what is stored by hand is traced, and a route with parameters by its pattern; health is not', async () => {
  const spans = await traced(async gateway => {
    await gateway.post('/api/v1/cache/store', { prompt: 'by hand?', response: 'yes' })
    await gateway.get('/v1/models/m')
    await gateway.get('/healthz')
  })
  const [store, models, health] = byCall(spans)
  assert.equal(names(store?.under ?? []), ['l1a_exact_cache_put'])
  assert.is(models?.root.attributes['http.route'], '/v1/models/*id')
  assert.is(health, undefined)
})

test('a gateway traces its own calls only', async () => {
  const other = await opened({ upstream })
  const spans = await traced(async gateway => {
    await other.post('/api/chat', { prompt: 'of the other?' })
    await gateway.post('/api/chat', { prompt: 'of this one?' })
  })
  assert.is(byCall(spans).length, 1)
  assert.is(spans.length, 6)
})

test('a reload goes on tracing once each, and one that turns it off sends what was there', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'deflector-telemetry-')), 'pipeline.yaml')
  const text = readFileSync(DEFAULT_PIPELINE, 'utf8')
  writeFileSync(file, text)
  const gateway = await opened({ upstream, pipeline: file, settings: monitored(collector.url) })
  await gateway.post('/api/chat', { prompt: 'first generation?' })
  assert.ok((await gateway.gateway.reload()).ok)
  await gateway.post('/api/chat', { prompt: 'second generation?' })
  writeFileSync(file, text.replace("enabled: '${enable_monitoring}'", 'enabled: false'))
  assert.ok((await gateway.gateway.reload()).ok)
  await gateway.post('/api/chat', { prompt: 'third generation?' })
  await collector.arrived(() => collector.spans.length >= 12)
  await gateway.close()
  assert.equal(
    byCall(collector.spans).map(({ under }) => under.length),
    [4, 4],
  )
  assert.is(collector.spans.length, 12)
})

test('a collector that is away costs one warning and no request, and is found again', async () => {
  const away = await startRefuser()
  const said: string[] = []
  const log: Log = {
    debug() {},
    error: message => void said.push(`error ${message}`),
    info: message => void said.push(`info ${message}`),
    warn: message => void said.push(`warn ${message}`),
  }
  const gateway = await opened({ upstream, log, settings: monitored(`http://127.0.0.1:${away.port}`) })
  const about = (): string[] => said.filter(line => line.includes('collector'))
  const ask = async (prompt: string): Promise<void> =>
    assert.is((await gateway.post('/api/chat', { prompt })).status, 200)
  await ask('away?')
  await until('a warning', () => about().length > 0)
  const refused = away.refused()
  await ask('still away?')
  await until('one export more', () => away.refused() > refused)
  assert.equal(about(), ['warn traces do not reach the collector; requests go on without'])
  await away.close()
  const back = closing(await startCollector({ port: away.port }))
  let asked = 0
  await until('spans come again', async () => {
    await ask(`back ${asked++}?`)
    return back.spans.length > 0
  })
  await until('it says so', () => about().length > 1)
  assert.equal(about().slice(1), ['info traces reach the collector again'])
  back.close()
  await ask('away at the end?')
  await gateway.close()
  assert.equal(
    said.filter(line => line.startsWith('error')),
    [],
  )
})

/** A port whose connections are cut at once. */
async function startRefuser(): Promise<{ port: number; refused(): number; close(): Promise<void> }> {
  let refused = 0
  const server = createServer(socket => {
    refused++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has an address')
  return { port: address.port, refused: () => refused, close: () => new Promise(done => server.close(() => done())) }
}

test.run()
