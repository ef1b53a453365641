import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const PATH = '/v1/chat/completions'
const chat = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] })
const from = (agent: string) => ({ 'user-agent': agent })

test('requests are counted by layer, surface, client and tool, and one without a valid key is only listed', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: 'canary-key' } })
  const key = { 'x-api-key': 'canary-key' }
  upstream.script({ text: 'a bird' }, { status: 400 })
  await gateway.post(PATH, chat('a private question'), { ...key, ...from('claude-cli/2.1') })
  await gateway.post(PATH, chat('a private question'), { ...key, ...from('curl/8') })
  await gateway.post(PATH, chat('refused'), { ...key, 'x-cursor-checksum': '1' })
  await gateway.post(PATH, chat('no key'), { 'x-api-key': 'wrong-canary' })
  const asked = async (limit = 100) => (await gateway.get(`/debug/stats/prompts?limit=${limit}`, key)).json
  await until('four requests are over', async () => (await asked()).recent.length === 4)
  const { recent, ...totals } = await asked()
  assert.equal(totals, {
    total_prompts: 3,
    total_deflected_prompts: 1,
    by_layer: { l3: 2, l1a: 1 },
    by_surface: { gateway: 3 },
    by_client: { 'claude-code': 1, direct: 1, cursor: 1 },
    by_tool: { 'claude-code': 1, curl: 1, unknown: 1 },
  })
  assert.equal(
    recent.map((one: Record<string, unknown>) => [one.final_layer, one.status_code, one.deflected, one.resolved_by]),
    [
      ['l0', 401, false, 'auth'],
      ['l3', 400, false, 'cloud'],
      ['l1a', 200, true, 'exact-cache'],
      ['l3', 200, false, 'cloud'],
    ],
  )
  assert.equal(Object.keys(recent[0]), [
    'timestamp',
    'traffic_surface',
    'client',
    'endpoint_family',
    'route',
    'prompt_hash',
    'final_layer',
    'resolved_by',
    'deflected',
    'latency_ms',
    'status_code',
    'tool',
  ])
  const [refused, , hit, miss] = recent
  assert.is(hit.prompt_hash, miss.prompt_hash)
  assert.match(hit.prompt_hash, /^[\w-]{16}$/)
  assert.is(refused.prompt_hash, null)
  assert.is((await asked(1)).recent.length, 1)
  assert.not.match(JSON.stringify(recent), /private|canary/)
  assert.equal((await gateway.get('/debug/proxy/recent', key)).json, { entries: [] })
  assert.is((await gateway.get('/debug/stats/prompts')).status, 401)
  assert.is((await gateway.get('/debug/stats/prompts?limit=many', key)).status, 400)
})

test('each tool has its hits, misses, retries and errors', async () => {
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 500 }, { text: 'a bird' }, { status: 400 })
  for (const question of ['one', 'one', 'two']) await gateway.post(PATH, chat(question), from('codex_exec/0.169'))
  const asked = async () => (await gateway.get('/debug/stats/agents')).json.agents.codex
  await until('three requests are over', async () => (await asked())?.requests === 3)
  const { average_latency_ms, ...codex } = await asked()
  assert.type(average_latency_ms, 'number')
  assert.equal(codex, {
    requests: 3,
    cache_hits: 1,
    cache_misses: 2,
    l1a_hits: 1,
    l1a_misses: 2,
    l1b_hits: 0,
    l1b_misses: 0,
    retry_count: 1,
    error_count: 1,
    l1a_safety_ratio: 1 / 3,
    l1b_safety_ratio: 0,
  })
})

interface Layer {
  readonly name: string
  readonly label: string
  readonly asked: number
  readonly answered: number
  readonly failed: number
  readonly p50_ms: number
  readonly p99_ms: number
}

test('each layer says how often it was asked, answered and failed, and how long it took', async () => {
  const gateway = await startGateway({ upstream })
  upstream.script({ text: 'a bird' }, { status: 400 })
  for (const question of ['one', 'one', 'two']) await gateway.post(PATH, chat(question))
  const asked = async () => (await gateway.get('/debug/stats/layers')).json.layers
  await until('three requests are over', async () => (await asked())[0]?.asked === 3)
  const layers: readonly Layer[] = await asked()
  assert.equal(
    layers.map(({ name, label, asked, answered, failed }) => [name, label, asked, answered, failed]),
    [
      ['exact-cache', 'l1a', 3, 1, 0],
      ['optimiser', 'l2_5', 2, 0, 0],
      ['cloud', 'l3', 2, 1, 1],
    ],
  )
  for (const { p50_ms, p99_ms } of layers) assert.ok(0 < p50_ms && p50_ms <= p99_ms)
})

test('all figures of what a layer answered agree, and none of them counts what failed', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__USAGE_LOG_PATH: tempFolder('usage') } })
  upstream.script({ text: 'a bird' }, { text: 'a stork' }, { status: 400 }, { status: 404 })
  for (const question of ['one', 'one', 'two', 'three', 'four']) await gateway.post(PATH, chat(question))
  const of = async (path: string) => (await gateway.get(path)).json
  const layers = async (): Promise<readonly Layer[]> => (await of('/debug/stats/layers')).layers
  await until('five requests are over', async () => (await layers())[0]?.asked === 5)
  const cloud = (await layers()).find(({ name }) => name === 'cloud')
  const { nodes } = await of('/api/admin/pipeline')
  const node = nodes.find(({ id }: { readonly id: string }) => id === 'flow__chat__cloud')
  const { rows } = await of('/api/admin/usage/breakdown?by=layer')
  const row = rows.find(({ layer }: { readonly layer: string }) => layer === 'l3')
  assert.equal([cloud?.answered, cloud?.failed], [2, 2])
  assert.equal([node.answered, node.failed], [2, 2])
  assert.equal([row.requests_total - row.failed_total, row.failed_total], [2, 2])
})

test.run()
