import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startRedis } from '../support/redis.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => {
  upstream.clear()
  upstream.script(() => ({ usage: { input: 30, output: 100 } }))
})

const CHAT = '/v1/chat/completions'
const asking = (content: string) => ({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content }] })

const sharing = (url: string): Promise<TestGateway> =>
  startGateway({
    upstream,
    settings: {
      SERVICE__CACHE_BACKEND: 'redis',
      SERVICE__REDIS_URL: url,
      SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '180',
      SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
    },
  })

test('two gateways on one Redis cannot overspend together', async () => {
  const redis = await startRedis()
  const gateways = [await sharing(redis.url), await sharing(redis.url)]
  const calls = Array.from({ length: 64 }, (_, i) => gateways[i % 2]?.post(CHAT, asking(`question ${i}`)))
  const replies = await Promise.all(calls)
  assert.is(upstream.calls.length, 1)
  assert.is(replies.filter(reply => reply?.status === 429).length, 63)
  assert.is(replies.filter(reply => reply?.status === 200).length, 1)
  for (const gateway of gateways) await gateway.close()
  // A third one, with a data directory of its own, knows only what Redis says.
  const third = await sharing(redis.url)
  assert.is((await third.post(CHAT, asking('again'))).status, 429)
  await third.close()
  await redis.close()
})

test('without its Redis a gateway counts for itself, and refuses what passes its limit', async () => {
  const redis = await startRedis()
  const gateway = await sharing(redis.url)
  await redis.kill()
  const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => gateway.post(CHAT, asking(`question ${i}`))))
  assert.is(upstream.calls.length, 1)
  assert.is(replies.filter(({ status }) => status === 429).length, 7)
  await gateway.close()
  await redis.close()
})

test.run()
