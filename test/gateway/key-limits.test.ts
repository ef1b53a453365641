import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quotaStatus } from 'deflector/facets/quota-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock } from '../contracts/clock.ts'
import { DEFAULT_PIPELINE, type Start, startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => {
  upstream.clear()
  upstream.script(() => ({ usage: { input: 30, output: 100 } }))
})

const CHAT = '/v1/chat/completions'
const ANN = { authorization: 'Bearer ann-key' }
const BOB = { authorization: 'Bearer bob-key' }
const asking = (content: string) => ({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content }] })

/** Keys of two holders, of whom one has limits. It is ten seconds to the next minute. */
async function limited(
  limits: Readonly<Record<string, number>>,
  { settings, ...start }: Start = {},
): Promise<TestGateway & { clock: ManualClock }> {
  const clock = new ManualClock(Date.UTC(2026, 10, 22, 12, 0, 50))
  const gateway = await startGateway({
    upstream,
    clock,
    ...start,
    settings: {
      ...settings,
      SERVICE__GATEWAY_API_KEYS: JSON.stringify([
        { key: 'ann-key', label: 'ann' },
        { key: 'bob-key', label: 'bob' },
      ]),
      SERVICE__LIMITS: JSON.stringify({ ann: limits }),
    },
  })
  return { ...gateway, clock }
}

test('a key has so many requests a minute, answered from the cache or not, and other keys have theirs', async () => {
  const gateway = await limited({ requests_per_minute: 3 })
  const ask = (headers: Record<string, string>) => gateway.post(CHAT, asking('the same'), headers)
  for (let i = 0; i < 3; i++) assert.is((await ask(ANN)).status, 200)
  assert.is(upstream.calls.length, 1)
  const refused = await ask(ANN)
  assert.equal([refused.status, refused.headers.get('retry-after')], [429, '10'])
  assert.is(refused.headers.get('x-should-retry'), null, 'a client may wait for it')
  assert.is(refused.headers.get('x-service-layer'), 'l0')
  assert.is(refused.headers.get('x-service-deflected'), 'false')
  assert.equal([refused.json.error.type, refused.json.error.code], ['rate_limit_error', 'rate_limit_exceeded'])
  assert.is(
    refused.json.error.message,
    'the request limit of a minute of this key is reached until 2026-11-22T12:01:00.000Z: 3 requests of 3 requests are used',
  )
  const messages = await gateway.post('/v1/messages', asking('other'), ANN)
  assert.equal([messages.status, messages.json.error.type], [429, 'rate_limit_error'])
  assert.is((await ask(BOB)).status, 200)
  await gateway.clock.advance(10_000)
  assert.is((await ask(ANN)).status, 200)
  await gateway.close()
})

test('a call that alone would pass the limit of its key is not told to wait', async () => {
  const gateway = await limited({ tokens_per_minute: 100 })
  const never = await gateway.post(CHAT, asking('why not?'), ANN)
  assert.equal([never.status, never.headers.get('retry-after')], [429, null])
  assert.is(never.headers.get('x-should-retry'), 'false')
  assert.match(
    never.json.error.message,
    /^the token limit of a minute of this key is too low for this call: this call may take 1\d\d tokens, more than the whole limit of 100 tokens; a smaller max_tokens would pass$/,
  )
  await gateway.close()
  const closed = await limited({ requests_per_minute: 0 })
  const refused = await closed.post(CHAT, asking('why not?'), ANN)
  assert.equal([refused.status, refused.headers.get('retry-after')], [429, null])
  assert.is(refused.json.error.message, 'the request limit of a minute of this key is 0, so no call passes it')
  await closed.close()
})

/** Holds the first vendor call back until another request waits for it. */
const GATE = `import { writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { defineLayer } from 'deflector'
import { z } from 'zod'
const come = []
let joined = false
export default defineLayer({
  name: 'gate',
  options: z.strictObject({}),
  apply({ name, hooks }) {
    hooks.answer.tapPromise(name, async exchange => {
      come.push(exchange)
      writeFileSync(COME, '')
    })
    hooks.attempt.tapPromise(name, async () => {
      while (!joined) {
        await turn()
        joined = come.some(({ trail }) => trail.some(({ outcome }) => outcome === 'joined'))
      }
    })
  },
})
`

test('where all share one cache, who waits for another key’s call does not get the limits of that key', async () => {
  const folder = tempFolder()
  const pipeline = join(folder, 'gated.yaml')
  const flow = /( chat: +\[.*)key-limits/
  const come = join(folder, 'come')
  writeFileSync(join(folder, 'gate.ts'), GATE.replace('COME', JSON.stringify(come)))
  const text = readFileSync(DEFAULT_PIPELINE, 'utf8').replace('\nlayers:\n', '\nlayers:\n  gate: { use: ./gate.ts }\n')
  assert.match(text, flow)
  writeFileSync(pipeline, text.replace(flow, '$1gate, key-limits'))
  const gateway = await limited({ tokens_per_minute: 1 }, { pipeline, settings: { SERVICE__CACHE_SCOPE: 'global' } })
  const ann = gateway.post(CHAT, asking('the same'), ANN)
  await until('her request is there', () => existsSync(come))
  const bob = gateway.post(CHAT, asking('the same'), BOB)
  assert.equal([(await ann).status, (await bob).status], [429, 200])
  assert.is(upstream.calls.length, 1)
  await gateway.close()
})

test('lists of models and counts of tokens are no requests', async () => {
  const gateway = await limited({ requests_per_minute: 1 })
  for (let i = 0; i < 3; i++) {
    assert.is((await gateway.get('/v1/models', ANN)).status, 200)
    assert.is((await gateway.post('/v1/messages/count_tokens', asking('how many?'), ANN)).status, 200)
  }
  assert.is((await gateway.post(CHAT, asking('one'), ANN)).status, 200)
  assert.is((await gateway.post(CHAT, asking('two'), ANN)).status, 429)
  await gateway.close()
})

test('of calls at once those within the tokens of a minute reach the vendor', async () => {
  const gateway = await limited({ tokens_per_minute: 300 })
  const ask = (content: string, headers = ANN) => gateway.post(CHAT, asking(content), headers)
  const replies = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(`question ${i}`)))
  assert.is(upstream.calls.length, 2)
  assert.equal([...new Set(replies.map(({ status }) => status))].sort(), [200, 429])
  const refused = replies.find(({ status }) => status === 429)
  assert.equal([refused?.headers.get('retry-after'), refused?.headers.get('x-service-layer')], ['10', 'l0'])
  assert.is((await ask('of another', BOB)).status, 200)
  await gateway.clock.advance(10_000)
  assert.is((await ask('in the next minute')).status, 200)
  await gateway.close()
})

test('a key that has spent its dollars is refused until midnight, and what is cached costs nothing', async () => {
  const clockless = { SERVICE__USAGE_PRICING: JSON.stringify({ openai: PRICE }) }
  const clock = new ManualClock(Date.UTC(2026, 10, 22, 23, 0, 0))
  const gateway = await startGateway({
    upstream,
    clock,
    settings: {
      SERVICE__GATEWAY_API_KEY: 'secret',
      SERVICE__LIMITS__DEFAULT__DAILY_COST_LIMIT_USD: '0.0002',
      SERVICE__CACHE_TTL_SECS: '86400',
      ...clockless,
    },
  })
  const key = { 'x-api-key': 'secret' }
  assert.is((await gateway.post(CHAT, asking('one'), key)).status, 200)
  const refused = await gateway.post(CHAT, asking('two'), key)
  assert.equal([refused.status, refused.headers.get('retry-after')], [429, '3600'])
  assert.is(refused.headers.get('x-should-retry'), 'false')
  assert.is(refused.json.error.code, 'insufficient_quota')
  assert.is((await gateway.post(CHAT, asking('one'), key)).headers.get('x-service-layer'), 'l1a')
  const [status] = gateway.gateway.offers(quotaStatus).get('key-limits')?.() ?? []
  assert.is(status?.provider, 'key default')
  assert.is(status?.windows[0]?.used, 0.00013)
  await clock.advance(3_600_000)
  assert.is((await gateway.post(CHAT, asking('two'), key)).status, 200)
  await gateway.close()
})

test('what has less left than one token costs is refused, whatever the vendor is asked for', async () => {
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__GATEWAY_API_KEY: 'secret',
      SERVICE__LIMITS__DEFAULT__DAILY_COST_LIMIT_USD: '0.0000002',
      SERVICE__USAGE_PRICING: JSON.stringify({ openai: PRICE }),
    },
  })
  const calls = upstream.calls.length
  for (const path of ['images/generations', 'audio/speech', 'moderations', 'rerank', 'batches']) {
    const refused = await gateway.post(`/v1/${path}`, { model: 'm', prompt: 'x' }, { 'x-api-key': 'secret' })
    assert.equal([refused.status, refused.json.error.code], [429, 'insufficient_quota'], path)
  }
  assert.is(upstream.calls.length, calls)
  await gateway.close()
})

const PRICE = { input_cost_per_million_usd: 1, output_cost_per_million_usd: 1 }

test.run()
