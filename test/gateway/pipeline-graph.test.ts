import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The operator sees how the gateway is wired, and which ways requests went. */

const KEY = 'key-of-the-gateway'
const OPS = { 'x-api-key': KEY }

interface Edge {
  readonly from: string
  readonly to: string
  readonly count: number | null
  readonly failed: number | null
}

test('the running pipeline is a graph whose edges have the requests that went along them', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: KEY } })
  const ask = (content: string, headers = OPS) =>
    gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] }, headers)
  for (const content of ['What is a heron?', 'What is a heron?', 'What is a crane?']) await ask(content)
  await ask('Who are you?', { 'x-api-key': 'wrong' })
  upstream.script({ status: 400 })
  assert.is((await ask('What is an ibis?')).status, 400)

  const { json, text } = await gateway.get('/api/admin/pipeline', OPS)
  assert.match(json.file, /default\.yaml$/)
  assert.is(json.generation, 1)
  assert.ok(Date.parse(json.since) <= Date.now())
  assert.not.match(text, KEY)
  const edge = (from: string, to: string): Edge | undefined =>
    json.edges.find((one: Edge) => one.from === from && one.to === to)
  const counts = (from: string, to: string) => [edge(from, to)?.count, edge(from, to)?.failed]
  const chat = (name: string) => `flow__chat__${name}`
  assert.equal(counts('surface__chat_completions', chat('auth')), [5, null])
  assert.equal(counts(chat('auth'), chat('trail_header')), [4, null])
  assert.equal(counts(chat('model_routes'), chat('classifier')), [4, null])
  assert.equal(counts(chat('classifier'), chat('exact_cache')), [4, null])
  assert.equal(counts(chat('exact_cache'), chat('semantic_cache')), [3, null])
  assert.equal(counts(chat('quota'), chat('cloud')), [3, null])
  assert.equal(counts(chat('cloud'), 'provider__openai'), [3, 1])
  assert.equal(counts('flow__exact_only__cloud', 'provider__openai'), [0, 0])
  assert.equal(counts(chat('exact_cache'), 'store__answers'), [null, null])

  const node = (id: string) => json.nodes.find((one: { readonly id: string }) => one.id === id)
  assert.equal([node('surface__ide_cursor').plugin, node('surface__ide_cursor').flow], ['chat-completions', 'chat'])
  const ended = (id: string) => [node(id).answered, node(id).failed]
  assert.equal(ended(chat('auth')), [0, 1])
  assert.equal(ended(chat('exact_cache')), [1, 0])
  assert.equal(ended(chat('cloud')), [2, 1])
  assert.equal(ended('provider__openai'), [null, null])
  assert.ok(node('surface__http').facets.includes('listener'))
  assert.is(node('observer__access_log').role, 'observer')
  assert.equal(json.flows[0].ids[0], chat('auth'))
})

test('what a dashboard looks at is no traffic; a change, and a look that is refused, are', async () => {
  const gateway = await startGateway({ settings: { SERVICE__GATEWAY_API_KEY: KEY } })
  for (const path of ['/api/admin/overview', '/api/admin/process', '/debug/stats/prompts']) await gateway.get(path, OPS)
  await gateway.get('/api/admin/usage')
  await gateway.post('/api/admin/config', { cache_ttl_secs: 60 }, OPS)
  const { json } = await gateway.get('/api/admin/pipeline', OPS)
  const count = (surface: string): number | null =>
    json.edges.find(({ from }: Edge) => from === `surface__${surface}`)?.count
  assert.equal(['overview', 'process', 'stats', 'usage', 'config_admin'].map(count), [0, 0, 0, 1, 1])
})

test('counts go on after a reload', async () => {
  const gateway = await startGateway({ upstream: await startUpstream() })
  await gateway.post('/api/chat', { prompt: 'What is a heron?' })
  await gateway.post('/api/admin/config', { cache_ttl_secs: 60 })
  await gateway.post('/api/chat', { prompt: 'What is a heron?' })
  const { json } = await gateway.get('/api/admin/pipeline')
  assert.is(json.generation, 2)
  const [native] = json.edges.filter(({ from }: Edge) => from === 'surface__native')
  assert.is(native.count, 2)
})

test.run()
