import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock } from '../contracts/clock.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const backup = await startUpstream()
test.after(async () => {
  await upstream.close()
  await backup.close()
})
/** What each call takes; of no other one is then anything left. */
const USED = { input: 30, output: 100 }
test.before.each(() => {
  upstream.clear()
  backup.clear()
  upstream.script(() => ({ usage: USED }))
})

const CHAT = '/v1/chat/completions'
/** Enough for one call that may answer a hundred tokens, and not for two. */
const ONE_CALL = '180'
const asking = (content: string, more: object = {}) => ({
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...more,
})

const withQuota = (settings: Readonly<Record<string, string>>, clock?: ManualClock): Promise<TestGateway> =>
  startGateway({
    upstream,
    settings: { SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: ONE_CALL, ...settings },
    ...(clock && { clock }),
  })

/** Two providers of the chat-completions format: the one with a quota, and the one behind it. */
const FALLBACK = {
  SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'fallback',
  SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'groq', model: 'other', api_key: 'k', url: backup.url }]),
}

test('of 64 calls at once against a quota for one, one reaches the vendor and the others are 429', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 22, 23, 59, 0))
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block' }, clock)
  const calls = Array.from({ length: 64 }, (_, i) => gateway.post(CHAT, asking(`question ${i}`)))
  const replies = await Promise.all(calls)
  assert.is(replies.filter(({ status }) => status === 200).length, 1)
  assert.is(upstream.calls.length, 1)
  const refused = replies.filter(({ status }) => status === 429)
  assert.is(refused.length, 63)
  for (const { headers, json } of refused) {
    assert.is(headers.get('retry-after'), '60')
    assert.is(headers.get('x-should-retry'), 'false')
    assert.is(headers.get('x-service-layer'), 'l3')
    assert.is(json.error.code, 'insufficient_quota')
    assert.match(json.error.message, 'the daily token limit of openai is reached until 2026-11-23T00:00:00.000Z')
  }
  await gateway.close()
})

test('the others of 64 calls go to the next provider where the policy says so', async () => {
  const gateway = await withQuota(FALLBACK)
  const calls = Array.from({ length: 64 }, (_, i) => gateway.post(CHAT, asking(`question ${i}`)))
  const replies = await Promise.all(calls)
  assert.equal(new Set(replies.map(({ status }) => status)), new Set([200]))
  assert.is(upstream.calls.length, 1)
  assert.is(backup.calls.length, 63)
  assert.is(replies.filter(({ headers }) => headers.get('x-service-provider') === 'groq').length, 63)
  await gateway.close()
})

test.run()
