import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { type Script, startUpstream } from '../support/upstream.ts'

const primary = await startUpstream()
const backup = await startUpstream()
const patience = { SERVICE__STREAM_IDLE_SECS: '1', SERVICE__L3_TIMEOUT_SECS: '3' }
const fallback = [{ provider: 'groq', url: backup.url, api_key: 'k', model: 'backup-model' }]
let later = 0
/** Real time, moved on when a test says so, and no waiting between attempts. */
const swift: Clock = {
  ...systemClock,
  now: () => Date.now() + later,
  monotonic: () => systemClock.monotonic() + later,
  random: () => 0,
}
/** Keys rest after a 429, so each fault meets gateways of its own. */
const startAlone = () => startGateway({ upstream: primary, settings: patience, clock: swift })
const startChained = () =>
  startGateway({
    upstream: primary,
    clock: swift,
    settings: { ...patience, SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
  })
const alone = await startAlone()
test.before.each(() => {
  primary.clear()
  backup.clear()
})
test.after(async () => {
  await alone.close()
  await primary.close()
  await backup.close()
})

let n = 0
const surfaces = {
  '/v1/chat/completions': (stream: boolean) => ({
    model: 'm',
    stream,
    messages: [{ role: 'user', content: `fault ${n++}` }],
  }),
  '/v1/messages': (stream: boolean) => ({
    model: 'm',
    stream,
    max_tokens: 50,
    messages: [{ role: 'user', content: `fault ${n++}` }],
  }),
  '/api/chat': (stream: boolean) => ({ prompt: `fault ${n++}`, stream }),
}

/** What a vendor can do wrong before the first event, and the status a client gets when nobody else can answer. */
const early: Record<string, { readonly script: Script; readonly status: number; readonly movesOn: boolean }> = {
  'a 500': { script: () => ({ status: 500 }), status: 502, movesOn: true },
  'a 503': { script: () => ({ status: 503 }), status: 502, movesOn: true },
  'a reset': { script: () => ({ reset: true }), status: 502, movesOn: true },
  garbage: { script: () => ({ garbage: true }), status: 502, movesOn: true },
  'a bad key': { script: () => ({ status: 401 }), status: 502, movesOn: true },
  'a bad request': { script: () => ({ status: 400 }), status: 400, movesOn: false },
  'a refusal to process': { script: () => ({ status: 422 }), status: 422, movesOn: false },
  'a 429 with seconds': {
    script: () => ({ status: 429, headers: { 'retry-after': '30' } }),
    status: 429,
    movesOn: true,
  },
  'a 429 with a date': {
    script: () => ({ status: 429, headers: { 'retry-after': new Date(Date.now() + 30_000).toUTCString() } }),
    status: 429,
    movesOn: true,
  },
  'a 429 with milliseconds': {
    script: () => ({ status: 429, headers: { 'retry-after-ms': '30000' } }),
    status: 429,
    movesOn: true,
  },
  'a 429 with a reset': {
    script: () => ({ status: 429, headers: { 'x-ratelimit-reset-requests': '30s' } }),
    status: 429,
    movesOn: true,
  },
}

for (const [fault, { script, status, movesOn }] of Object.entries(early)) {
  test(`${fault} is the client's own error, or the fallback's answer`, async () => {
    for (const [path, body] of Object.entries(surfaces)) {
      for (const stream of [false, true]) {
        const [alone, chained] = await Promise.all([startAlone(), startChained()])
        primary.clear()
        backup.clear()
        primary.script(script)
        const failed = await alone.send(path, JSON.stringify(body(stream)))
        assert.is(failed.status, status, `${path} ${stream} ${failed.text}`)
        assert.is(failed.headers.get('x-service-deflected'), 'false')
        if (status === 429) assert.ok(Number(failed.headers.get('retry-after')) >= 25)
        const saved = await chained.send(path, JSON.stringify(body(stream)))
        assert.is(saved.status, movesOn ? 200 : status, `${path} ${stream}`)
        assert.is(backup.calls.length, movesOn ? 1 : 0)
        if (movesOn) assert.is(saved.headers.get('x-service-provider'), 'groq')
        if (movesOn) assert.is(backup.calls[0]?.body?.model, 'backup-model')
        await Promise.all([alone.close(), chained.close()])
      }
    }
  })
}

test('silence ends at the deadline', async () => {
  primary.script(() => ({ silent: true }))
  const { status, text } = await alone.send(
    '/v1/chat/completions',
    JSON.stringify(surfaces['/v1/chat/completions'](false)),
  )
  assert.is(status, 502)
  assert.match(text, 'upstream_timeout')
})

for (const [fault, reply] of Object.entries({
  'a line cut in mid-stream': { text: 'one two three four five', dieAfter: 3 },
  'a stream that stalls': { text: 'one two three four five', stallAfter: 3 },
  'a stream that just ends': { text: 'one two three four five', endAfter: 3 },
})) {
  test(`${fault} never looks like a whole answer, and nothing of it is stored`, async () => {
    for (const [path, body] of Object.entries(surfaces)) {
      primary.clear()
      primary.script(() => reply)
      const asked = JSON.stringify(body(true))
      const { text } = await alone.stream(path, JSON.parse(asked))
      assert.not.match(text, '[DONE]', path)
      assert.not.match(text, 'message_stop', path)
      assert.match(text, /"error"/, path)
      primary.clear()
      const again = await alone.stream(path, JSON.parse(asked))
      assert.is(primary.calls.length, 1, path)
      assert.not.match(again.text, /"error"/)
    }
  })
}

test('a stream of two choices, one of which has no end, never looks like a whole answer', async () => {
  const chunk = (index: number, content: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index, delta: { content }, finish_reason }] })}\n\n`
  const begun = [chunk(0, 'one'), chunk(1, 'two'), chunk(0, '', 'stop')]
  for (const end of [[], ['data: [DONE]\n\n']]) {
    primary.clear()
    primary.script({ sse: [...begun, ...end] })
    const { text } = await alone.stream('/v1/chat/completions', { n: 2, messages: [{ role: 'user', content: 'two?' }] })
    assert.match(text, /"two"/)
    assert.match(text, /"error"/)
    assert.not.match(text, '[DONE]')
  }
})

test('a line cut where the terminator alone is missing ends a stream that is whole, and is not stored', async () => {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const usage = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`
  const sse = [chunk({ content: 'all of it' }, null), chunk({}, 'stop'), usage]
  for (const [path, body] of Object.entries(surfaces)) {
    const asked = body(true)
    for (let round = 0; round < 2; round++) {
      primary.clear()
      primary.script({ sse, dieAfter: sse.length })
      const { text } = await alone.stream(path, asked)
      assert.is(primary.calls.length, 1, path)
      assert.not.match(text, /"error"/, path)
      assert.match(text, /\[DONE\]|message_stop|response\.completed/, path)
    }
  }
})

test('a stale answer is better than none, and says how old it is', async () => {
  const short = await startGateway({ upstream: primary, clock: swift })
  const body = { prompt: 'stale?' }
  const fresh = await short.post('/api/chat', body)
  later = 301_000
  primary.script(() => ({ status: 400 }))
  assert.is((await short.post('/api/chat', body)).status, 400, 'not for a bad request')
  primary.clear()
  primary.script(() => ({ status: 401 }))
  const stale = await short.post('/api/chat', body)
  assert.is(stale.json.message, fresh.json.message)
  assert.is(stale.headers.get('x-service-layer'), 'l1a')
  assert.is(stale.headers.get('x-service-deflected'), 'true')
  assert.ok(Number(stale.headers.get('x-service-stale')) >= 301)
  later = 0
  await short.close()
})

test('without a credential an uncached request is a 502 that no client tries again', async () => {
  const bare = await startGateway({})
  const { status, headers } = await bare.post('/v1/chat/completions', surfaces['/v1/chat/completions'](false))
  assert.is(status, 502)
  assert.is(headers.get('x-should-retry'), 'false')
  await bare.close()
})

test('offline mode answers from the cache alone', async () => {
  const offline = await startGateway({ upstream: primary, settings: { SERVICE__OFFLINE_MODE: 'true' } })
  await offline.post('/api/v1/cache/store', { prompt: 'known', response: 'yes' })
  assert.is((await offline.post('/api/chat', { prompt: 'known' })).json.message, 'yes')
  const { status, headers } = await offline.post('/api/chat', { prompt: 'unknown' })
  assert.is(status, 503)
  assert.is(headers.get('x-should-retry'), 'false')
  assert.is(primary.calls.length, 0)
  await offline.close()
})

test.run()
