import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const PATH = '/v1/chat/completions'
const KEY = { 'x-api-key': 'canary-key' }
const chat = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] })

/** Watches; `next` gives the text of the stream once `fits` is true of all that came. */
async function watching(gateway: TestGateway): Promise<(fits: (text: string) => boolean) => Promise<string>> {
  const reply = await fetch(`${gateway.url}/api/admin/live`, { headers: KEY, signal: AbortSignal.timeout(30_000) })
  assert.match(reply.headers.get('content-type') ?? '', 'text/event-stream')
  const reader = reply.body?.getReader()
  if (!reader) throw new Error('no stream')
  let text = ''
  return async fits => {
    while (!fits(text)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`the stream ended: ${text}`)
      text += Buffer.from(value).toString()
    }
    return text
  }
}
const eventsOf = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^event: request\ndata: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))

test('each request is an event when it is over, without its text, to every viewer', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: KEY['x-api-key'] } })
  const viewers = [await watching(gateway), await watching(gateway)]
  upstream.script({ text: 'a bird' })
  const miss = await gateway.post(PATH, chat('a private question'), {
    ...KEY,
    'user-agent': 'curl/8',
    'x-service-tags': 'blue',
  })
  await gateway.post(PATH, chat('a private question'), KEY)
  await gateway.post(PATH, chat('no key'))
  for (const next of viewers) {
    const text = await next(all => eventsOf(all).length === 3)
    assert.not.match(text, /private|canary|a bird/)
    const events = eventsOf(text)
    assert.equal(
      events.map(({ layer, status, tool, skipped }) => [layer, status, tool, skipped]),
      [
        ['l3', 200, 'curl', 0],
        ['l1a', 200, 'unknown', 0],
        ['l0', 401, 'unknown', 0],
      ],
    )
    // What the answer took at the vendor is what the hit has saved, as the books have it.
    const [{ cost_usd: cost } = { cost_usd: 0 }] = events
    assert.ok(Number(cost) > 0)
    assert.equal(
      events.map(one => [Number(one.saved) > 0, one.cost_usd, one.saved_cost_usd]),
      [
        [false, cost, 0],
        [true, 0, cost],
        [false, null, 0],
      ],
    )
    assert.is(events[0]?.id, miss.headers.get('x-service-request-id'))
    assert.is(events[0]?.model, 'gpt-4o')
    assert.equal([events[0]?.tags, events[1]?.tags], [['blue'], []])
    assert.ok(events[0]?.key)
    assert.is(events[2]?.key, null)
  }
  assert.is((await gateway.get('/api/admin/live')).status, 401)
})

test('a viewer keeps neither a reload nor the end of the gateway waiting', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: KEY['x-api-key'] } })
  const before = await watching(gateway)
  assert.ok((await gateway.gateway.reload()).ok)
  let ended = false
  await before(() => false).catch(() => {
    ended = true
  })
  assert.ok(ended)
  const next = await watching(gateway)
  await gateway.post(PATH, chat('one'), KEY)
  assert.is(eventsOf(await next(all => eventsOf(all).length === 1)).length, 1)
  await gateway.close()
})

test.run()
