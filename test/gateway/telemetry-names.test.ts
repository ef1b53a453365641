import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { startCollector } from '../support/collector.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/**
 * Every span and metric of the specification and of OpenTelemetry's conventions, with its attributes. What is not exported
 * yet is owed; a row without attributes is owed whole.
 */

const row = z.strictObject({
  name: z.string(),
  attributes: z.array(z.string()).default([]),
  owed: z.array(z.string()).default([]),
})
const file = new URL('../fixtures/telemetry/names.json', import.meta.url)
const specified = z
  .strictObject({ spans: z.array(row), metrics: z.array(row) })
  .parse(JSON.parse(readFileSync(file, 'utf8')))

type Row = z.output<typeof row>
/** The attributes that were seen, by the name of their span or metric. */
type Seen = ReadonlyMap<string, ReadonlySet<string>>

const MODEL = 'm'
const named = (name: string): string => name.replace('<model>', MODEL)

function seenIn(all: readonly { readonly name: string; readonly attributes: readonly object[] }[]): Seen {
  const seen = new Map<string, Set<string>>()
  for (const { name, attributes } of all) {
    const known = seen.get(name) ?? new Set()
    seen.set(name, known)
    for (const name of attributes.flatMap(one => Object.keys(one))) known.add(name)
  }
  return seen
}

/** Where the rows and what was exported differ. */
function untrue(rows: readonly Row[], seen: Seen): string[] {
  const names = new Set(rows.map(({ name }) => named(name)))
  const unlisted = [...seen.keys()].filter(name => !names.has(name)).map(name => `${name} is not listed`)
  const wrong = rows.flatMap(({ name, attributes, owed }) => {
    const known = seen.get(named(name))
    if (attributes.length === 0) return known ? [`${name} is exported, and owed`] : []
    return [
      ...attributes.filter(one => !known?.has(one)).map(one => `${name} lacks ${one}`),
      ...owed.filter(one => known?.has(one)).map(one => `${name} has ${one}, and it is owed`),
    ]
  })
  return [...unlisted, ...wrong]
}

/** Requests of every kind that leave something behind in spans and metrics. */
async function exported(): Promise<{ readonly spans: Seen; readonly metrics: Seen }> {
  const [upstream, small, collector] = [await startUpstream(), await startUpstream(), await startCollector()]
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__ENABLE_MONITORING: 'true',
      SERVICE__OTEL_EXPORTER_ENDPOINT: collector.url,
      SERVICE__CACHE_MODE: 'both',
      SERVICE__ENABLE_SLM_ROUTER: 'true',
      SERVICE__LOCAL_SLM_URL: small.url,
      SERVICE__CLASSIFIER_ROUTING__ENABLED: 'true',
      SERVICE__CLASSIFIER_ROUTING__CONFIDENCE_THRESHOLD: '0',
      SERVICE__CLASSIFIER_ROUTING__MATRIX: '{"default":{"default":"openai"}}',
    },
  })
  small.script(() => ({ text: 'COMPLEX' }))
  const path = '/v1/chat/completions'
  const chat = (content: string, more: object = {}) => ({
    model: MODEL,
    messages: [{ role: 'user', content }],
    ...more,
  })
  upstream.script({ status: 500 }, { json: COUNTED })
  await gateway.post(path, chat('What does the HTTP status code 404 mean?'))
  await gateway.post(path, chat('What does the HTTP status code 404 mean?'))
  await gateway.post(path, chat('What does HTTP status 404 mean?'))
  upstream.script({ text: 'one two three', frameDelayMs: 2 }, { status: 400 })
  await gateway.stream(path, chat('Who wrote Middlemarch?', { stream: true }))
  await gateway.post(path, chat('refused'))
  upstream.script({ json: { object: 'list', model: MODEL, data: [{ object: 'embedding', index: 0, embedding: [1] }] } })
  await gateway.post('/v1/embeddings', { model: MODEL, input: 'one', dimensions: 256, encoding_format: 'float' })
  upstream.script({ json: COUNTED }, { json: COUNTED })
  await gateway.post(path, chat('every setting', SETTINGS), { 'x-session-id': 's' })
  await gateway.post('/v1/messages', { ...chat('another one'), max_tokens: 9, top_k: 3 })
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
  const params = { name: 'service_chat', arguments: { prompt: 7 } }
  await gateway.post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
  upstream.script(...Array.from({ length: 3 }, () => ({ status: 500 })))
  await gateway.post(path, chat('failing'))
  await askInSession(gateway)
  await gateway.close()
  return {
    spans: seenIn(collector.spans.map(({ name, attributes }) => ({ name, attributes: [attributes] }))),
    metrics: seenIn(
      collector.metrics.map(({ name, sum, histogram }) => ({
        name,
        attributes: (sum ?? histogram)?.dataPoints.map(({ attributes }) => attributes) ?? [],
      })),
    ),
  }
}

/** A session of MCP that begins, asks for a tool that is not there, and ends. */
async function askInSession(gateway: Awaited<ReturnType<typeof startGateway>>): Promise<void> {
  const accept = { accept: 'application/json, text/event-stream' }
  const version = '2025-06-18'
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { headers } = await gateway.post('/mcp/', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, accept)
  const session = {
    'mcp-session-id': headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': version,
  }
  const call = (name: string) => ({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: {} } })
  await gateway.post('/mcp/', call('service_chat'), { ...accept, ...session })
  await gateway.post('/mcp/', call('missing'), { ...accept, ...session })
  await fetch(`${gateway.url}/mcp/`, { method: 'DELETE', headers: session })
}

/** Each setting of a request that the conventions have a name for, where the dialect has one. */
const SETTINGS = {
  ...{ n: 2, seed: 1, temperature: 0.5, top_p: 0.9, frequency_penalty: 0.1, presence_penalty: 0.1, max_tokens: 5 },
  ...{ stop: ['END'], response_format: { type: 'json_object' } },
}

/** An answer whose vendor counts every kind of token. */
const COUNTED = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It was not found.' } }],
  usage: {
    prompt_tokens: 30,
    completion_tokens: 9,
    total_tokens: 39,
    prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
}

test('every span and metric is exported with its attributes, and what is owed is not', async () => {
  const { spans, metrics } = await exported()
  assert.equal(untrue(specified.spans, spans), [])
  assert.equal(untrue(specified.metrics, metrics), [])
})

test('a wrong row is told: one that is exported and owed, one that is neither, and one that nobody listed', () => {
  const rows = z.array(row).parse([
    { name: 'a', attributes: ['x'], owed: ['y'] },
    { name: 'b', attributes: ['x'] },
    { name: 'c', owed: ['x'] },
  ])
  const seen = new Map([
    ['a', new Set(['x', 'y'])],
    ['c', new Set(['x'])],
    ['d', new Set<string>()],
  ])
  assert.equal(untrue(rows, seen), [
    'd is not listed',
    'a has y, and it is owed',
    'b lacks x',
    'c is exported, and owed',
  ])
})

test.run()
