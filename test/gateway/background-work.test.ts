import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { quotaStatus } from 'deflector/facets/quota-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readEvent, type UsageEvent } from '../../plugins/observers/usage/event.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => upstream.clear())

const RESPONSES = '/v1/responses'
const ann = { 'x-api-key': 'key-of-ann-0123456789' }
const bob = { 'x-api-key': 'key-of-bob-0123456789' }

interface Watched {
  readonly gateway: TestGateway
  begin(): Promise<unknown>
  /** What the vendor says of the work when it is looked at, and the status that its client gets. */
  look(said: object, headers?: Readonly<Record<string, string>>): Promise<number>
  used(): number[]
  lines(count: number): Promise<UsageEvent[]>
}

async function watched(more: Readonly<Record<string, string>> = {}): Promise<Watched> {
  const folder = tempFolder('usage')
  const gateway = await startGateway({
    upstream,
    provider: 'openai-responses',
    settings: {
      SERVICE__USAGE_LOG_PATH: folder,
      SERVICE__GATEWAY_API_KEYS: JSON.stringify([
        { key: ann['x-api-key'], label: 'ann', admin: true },
        { key: bob['x-api-key'], label: 'bob' },
      ]),
      SERVICE__QUOTA: JSON.stringify({ openai: { daily_token_limit: 60_000, action_on_limit: 'block' } }),
      SERVICE__LIMITS: JSON.stringify({ ann: { daily_cost_limit_usd: 5 } }),
      SERVICE__USAGE_PRICING: JSON.stringify({
        openai: { input_cost_per_million_usd: 10, output_cost_per_million_usd: 10 },
      }),
      SERVICE__PROVIDER_HEALTH_CHECK_INTERVAL_SECS: '0',
      ...more,
    },
  })
  const lines = async (count: number): Promise<UsageEvent[]> => {
    const read = (): UsageEvent[] =>
      readFileSync(join(folder, 'usage.jsonl'), 'utf8')
        .split('\n')
        .flatMap(line => readEvent(line) ?? [])
    await until(`${count} lines are booked`, () => read().length >= count)
    return read()
  }
  return {
    gateway,
    lines,
    begin: () => begin(gateway),
    async look(said, headers = ann) {
      upstream.script({ json: { ...response, ...said } })
      return (await gateway.get(`${RESPONSES}/resp_1`, headers)).status
    },
    used: () =>
      [...gateway.gateway.offers(quotaStatus).values()].flatMap(status =>
        status().flatMap(({ windows }) => windows.map(({ used, reserved }) => used + reserved)),
      ),
  }
}

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4-nano', output: [] }
const request = { model: 'gpt-5.4-nano', input: 'do a long thing', background: true, max_output_tokens: 50_000 }
const TOLD = { status: 'completed', usage: { input_tokens: 1000, output_tokens: 50_000, total_tokens: 51_000 } }

async function begin(gateway: TestGateway): Promise<void> {
  upstream.script({ json: { ...response, status: 'queued', usage: null } })
  assert.is((await gateway.post(RESPONSES, request, ann)).status, 200)
}

const total = (events: readonly UsageEvent[]): number => events.reduce((sum, { total_tokens }) => sum + total_tokens, 0)

test('work in the background is counted as it was reserved until a look tells what it took, and booked with that look', async () => {
  const { gateway, begin, look, used, lines } = await watched()
  await begin()
  const reserved = used()
  assert.ok(reserved.some(tokens => tokens > 50_000 && tokens < 50_100))
  assert.is((await gateway.post(RESPONSES, { ...request, input: 'another' }, ann)).status, 429)
  await look({ status: 'in_progress', usage: { input_tokens: 1, output_tokens: 1 } })
  assert.is(await look(TOLD, bob), 404)
  assert.equal(used(), reserved)

  upstream.clear()
  upstream.script(() => ({ json: { ...response, ...TOLD } }))
  await Promise.all([1, 2, 3].map(() => gateway.get(`${RESPONSES}/resp_1`, ann)))
  const settled = (): boolean => JSON.stringify(used().sort()) === '[0.51,51000]'
  await until('it is settled', settled)
  await gateway.get(`${RESPONSES}/resp_1`, ann)
  assert.ok(settled(), String(used()))
  const events = await lines(8)
  assert.equal(
    events.flatMap(({ operation, model, total_tokens, estimated_cost_usd: cost, estimated }) =>
      total_tokens > 0 || cost !== 0 || estimated ? [[operation, model, total_tokens, cost]] : [],
    ),
    [['responses_retrieve', 'gpt-5.4-nano', 51_000, 0.51]],
  )
  await gateway.close()
})

test('a cancel tells what work took until then, and a deletion that tells nothing leaves it as reserved', async () => {
  const { gateway, begin, used, lines } = await watched()
  await begin()
  upstream.script({ json: { ...response, status: 'cancelled', usage: { input_tokens: 1000, output_tokens: 100 } } })
  await gateway.post(`${RESPONSES}/resp_1/cancel`, {}, ann)
  await until('it is settled', () => used().includes(1100))
  assert.is(total(await lines(2)), 1100)

  await begin()
  const before = used()
  upstream.script({ json: { id: 'resp_1', object: 'response.deleted', deleted: true } })
  const { status } = await fetch(`${gateway.url}${RESPONSES}/resp_1`, { method: 'DELETE', headers: ann })
  assert.is(status, 200)
  assert.equal(used(), before)
  await gateway.close()
})

test('a look at work that failed, or a cancel that came too late, is the answer of the vendor, and settles and books it once', async () => {
  const error = { code: 'server_error', message: 'it broke' }
  const usage = { input_tokens: 1000, output_tokens: 2000, total_tokens: 3000 }
  const failed = { ...response, status: 'failed', error, usage }
  for (const way of ['look', 'cancel']) {
    const { gateway, begin, look, used, lines } = await watched()
    const cancel = () => gateway.post(`${RESPONSES}/resp_1/cancel`, {}, ann)
    await begin()
    upstream.script({ json: failed })
    const reply = await (way === 'look' ? gateway.get(`${RESPONSES}/resp_1`, ann) : cancel())
    assert.equal([reply.status, reply.json], [200, failed], way)
    const settled = (): boolean => JSON.stringify(used().sort()) === '[0.03,3000]'
    await until('it is settled', settled)
    assert.is(await look(failed), 200)
    assert.is(total(await lines(3)), 3000)
    assert.ok(settled(), String(used()))
    await gateway.close()
  }
})

const sse = (...events: readonly object[]): string[] => events.map(event => `data: ${JSON.stringify(event)}\n\n`)
const created = { type: 'response.created', response: { ...response, status: 'queued', usage: null } }
const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
const added = { type: 'response.output_item.added', output_index: 0, item }
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const part = { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } }
const delta = { type: 'response.output_text.delta', ...at, delta: 'A bird.' }
/** The first words of an answer. */
const spoken = [added, part, delta]

test('a stream that tells what it took is settled with its end, and a later look adds nothing', async () => {
  const { gateway, look, used, lines } = await watched()
  upstream.script({ sse: sse(created, { type: 'response.completed', response: { ...response, ...TOLD } }) })
  await gateway.send(RESPONSES, JSON.stringify({ ...request, stream: true }), ann)
  await until('it is settled', () => used().includes(51_000))
  await look(TOLD)
  assert.is(total(await lines(2)), 51_000)
  assert.ok(used().includes(51_000))
  await gateway.close()
})

test('the work of a stream that broke off goes on, and a look tells what it took', async () => {
  const { gateway, look, used, lines } = await watched()
  upstream.script({ sse: sse(created, ...spoken), dieAfter: 4 })
  await gateway.send(RESPONSES, JSON.stringify({ ...request, stream: true }), ann).catch(() => {})
  assert.ok(used().some(tokens => tokens > 50_000))
  assert.is(total(await lines(1)), 0)
  await look(TOLD)
  await until('it is settled', () => used().includes(51_000))
  assert.is(total(await lines(2)), 51_000)
  await gateway.close()
})

for (const status of ['cancelled', 'failed'])
  test(`a stream whose work has ${status} is settled and booked with what it tells, and a later look adds nothing`, async () => {
    const { gateway, look, used, lines } = await watched()
    const usage = { input_tokens: 1000, output_tokens: 2000, total_tokens: 3000 }
    const error = status === 'failed' ? { code: 'server_error', message: 'it broke' } : null
    const ended = { status, usage, error }
    const last = { type: `response.${status}`, response: { ...response, ...ended } }
    upstream.script({ sse: sse(created, ...spoken, last) })
    await gateway.send(RESPONSES, JSON.stringify({ ...request, stream: true }), ann).catch(() => {})
    const settled = (): boolean => JSON.stringify(used().sort()) === '[0.03,3000]'
    await until('it is settled', settled)
    await look({ ...ended, error: null })
    assert.is(total(await lines(2)), 3000)
    assert.ok(settled(), String(used()))
    await gateway.close()
  })

test('work of which no answer came counts as it was reserved: nobody knows its id, and the vendor may have begun', async () => {
  const { gateway, used } = await watched()
  upstream.script({ reset: true })
  assert.is((await gateway.post(RESPONSES, request, ann)).status, 502)
  assert.ok(used().some(tokens => tokens > 50_000))
  await gateway.close()

  const refused = await watched()
  upstream.script({ status: 400 })
  assert.is((await refused.gateway.post(RESPONSES, request, ann)).status, 400)
  await until('it is given back', () => refused.used().every(amount => amount === 0))
  await refused.gateway.close()
})

test('after a restart it counts as it was reserved, and the first look settles and books it', async () => {
  const settings = { SERVICE_DATA_DIR: tempFolder('data'), SERVICE__GATEWAY_API_KEYS: '[]', SERVICE__LIMITS: '{}' }
  const first = await watched(settings)
  await first.begin()
  const reserved = first.used()
  await first.gateway.close()
  const second = await watched(settings)
  assert.equal(second.used(), reserved)
  await second.look(TOLD)
  await until('it is settled', () => second.used().includes(51_000))
  assert.is(total(await second.lines(1)), 51_000)
  await second.gateway.close()
  const third = await watched(settings)
  await third.look(TOLD)
  assert.is(total(await third.lines(1)), 0)
  assert.equal(third.used(), [51_000])
  await third.gateway.close()
})

test('gateways on one Redis count it once, whichever is told first', async () => {
  const redis = await startRedis()
  const settings = { SERVICE__CACHE_BACKEND: 'redis', SERVICE__REDIS_URL: redis.url }
  const first = await watched(settings)
  await first.begin()
  await first.gateway.close()
  const others = [await watched(settings), await watched(settings)]
  upstream.clear()
  upstream.script(() => ({ json: { ...response, ...TOLD } }))
  await Promise.all(others.map(({ gateway }) => gateway.get(`${RESPONSES}/resp_1`, ann)))
  const booked = await Promise.all(others.map(({ lines }) => lines(1)))
  assert.is(total(booked.flat()), 51_000)
  const third = await watched(settings)
  await until('it is settled', () => third.used().includes(51_000))
  for (const { gateway } of [...others, third]) await gateway.close()
  await redis.close()
})

test.run()
