import { readdirSync } from 'node:fs'
import { quotaStatus } from 'deflector/facets/quota-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock } from '../contracts/clock.ts'
import { type Start, startGateway as start, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { until } from '../support/until.ts'
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
  for (const vendor of [upstream, backup]) vendor.script(() => ({ usage: USED }))
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

/** A clock that jumps an hour would make all health checks of that hour. */
const startGateway = (given: Start): Promise<TestGateway> =>
  start({ ...given, settings: { SERVICE__PROVIDER_HEALTH_CHECK_INTERVAL_SECS: '0', ...given.settings } })

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
    const said =
      /^the daily token limit of openai has no room for this call until 2026-11-23T00:00:00.000Z: (0|130) tokens /
    assert.match(json.error.message, said)
  }
  await gateway.close()
})

test('a text completion reserves what its client lets each of its choices have', async () => {
  upstream.clear()
  upstream.script({ raw: '{"id":"cmpl-1","choices":[{"text":"y","index":0}]}' })
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block' })
  const status = async (more: object): Promise<number> =>
    (await gateway.post('/v1/completions', { model: 'm', prompt: 'x', ...more })).status
  assert.is(await status({ max_tokens: 100, best_of: 2 }), 429)
  assert.is(await status({ max_tokens: 100, prompt: ['x', 'y'] }), 429)
  assert.is(upstream.calls.length, 0)
  assert.is(await status({ max_tokens: 100 }), 200)
  await gateway.close()
})

test('each of several answers without a cap is reserved as one usually is', async () => {
  const gateway = await withQuota({
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '5000',
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
  })
  const status = async (n: number): Promise<number> =>
    (await gateway.post(CHAT, { model: 'm', n, messages: [{ role: 'user', content: `draw ${n} of us` }] })).status
  assert.is(await status(5), 429)
  assert.is(upstream.calls.length, 0)
  assert.is(await status(4), 200)
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

for (const [window, from, until] of [
  ['daily', '2026-11-24T23:59:30Z', '2026-11-25T00:00:00Z'],
  ['weekly', '2026-11-22T23:59:30Z', '2026-11-23T00:00:00Z'],
  ['monthly', '2026-11-30T23:59:30Z', '2026-12-01T00:00:00Z'],
] as const) {
  test(`a ${window} limit begins anew at its boundary, and not before`, async () => {
    const clock = new ManualClock(Date.parse(from))
    const gateway = await startGateway({
      upstream,
      clock,
      settings: {
        SERVICE__QUOTA: JSON.stringify({ openai: { [`${window}_token_limit`]: 180, action_on_limit: 'block' } }),
      },
    })
    assert.is((await gateway.post(CHAT, asking('one'))).status, 200)
    await clock.advance(Date.parse(until) - Date.parse(from) - 1)
    const refused = await gateway.post(CHAT, asking('two'))
    assert.equal([refused.status, refused.headers.get('retry-after')], [429, '1'])
    await clock.advance(1)
    assert.is((await gateway.post(CHAT, asking('two'))).status, 200)
    await gateway.close()
  })
}

test('a chain that quotas alone have exhausted is a 429 until the first window ends, and nothing stale', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 22, 12))
  const policy = { action_on_limit: 'fallback' }
  const gateway = await startGateway({
    upstream,
    clock,
    settings: {
      ...FALLBACK,
      SERVICE__QUOTA: JSON.stringify({
        openai: { ...policy, weekly_token_limit: 180 },
        groq: { ...policy, monthly_token_limit: 180 },
      }),
    },
  })
  assert.is((await gateway.post(CHAT, asking('one'))).headers.get('x-service-provider'), 'openai')
  assert.is((await gateway.post(CHAT, asking('two'))).headers.get('x-service-provider'), 'groq')
  await clock.advance(3_600_000)
  for (const body of [asking('one'), asking('three')]) {
    const refused = await gateway.post(CHAT, body)
    assert.equal([refused.status, refused.headers.get('x-service-stale')], [429, null])
    assert.is(refused.headers.get('retry-after'), String(11 * 3600))
    assert.is(refused.headers.get('x-should-retry'), 'false')
    assert.match(refused.json.error.message, /weekly token limit of openai .*monthly token limit of groq/)
  }
  assert.equal([upstream.calls.length, backup.calls.length], [1, 1])
  await gateway.close()
})

test('a warning is written once for each threshold of a window, and stops no call', async () => {
  const lines: string[] = []
  const note = (message: string): void => void lines.push(message)
  const clock = new ManualClock(Date.UTC(2026, 10, 22, 12))
  const gateway = await startGateway({
    upstream,
    clock,
    log: { debug() {}, info() {}, warn: note, error: note },
    settings: { SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '300' },
  })
  const ask = async (content: string): Promise<void> => {
    assert.is((await gateway.post(CHAT, asking(content))).status, 200)
    await settled(gateway)
  }
  await ask('one')
  assert.equal(lines, [])
  await ask('two')
  const near = 'the daily token limit of openai is used to 86 %'
  await until('it has warned', () => lines.length > 0)
  assert.equal(lines, [near])
  await ask('three')
  await ask('four')
  await until('it has warned', () => lines.length > 1)
  const passed = 'the daily token limit of openai is passed; calls go on'
  assert.equal(lines, [near, passed])
  await clock.advance(12 * 3_600_000)
  for (const content of ['five', 'six', 'seven']) await ask(content)
  await until('it has warned', () => lines.length > 3)
  assert.equal(lines, [near, passed, near, passed])
  await gateway.close()
})

test('what a call only reserves warns of nothing, and what is passed later is warned of', async () => {
  const lines: string[] = []
  const note = (message: string): void => void lines.push(message)
  const gateway = await startGateway({
    upstream,
    log: { debug() {}, info() {}, warn: note, error: note },
    settings: { SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '150' },
  })
  upstream.clear()
  upstream.script(() => ({ usage: { input: 20, output: 40 } }))
  const ask = async (content: string): Promise<void> => {
    assert.is((await gateway.post(CHAT, asking(content, { max_tokens: 1000 }))).status, 200)
    await settled(gateway)
  }
  await ask('one')
  await ask('two')
  assert.equal(lines, ['the daily token limit of openai is used to 80 %'])
  await ask('three')
  assert.equal(lines.slice(1), ['the daily token limit of openai is passed; calls go on'])
  await gateway.close()
})

test('a refusal says what is used and reserved, and whether a smaller answer would pass', async () => {
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block' })
  const refused = async (more: object): Promise<string> => {
    const { status, json } = await gateway.post(CHAT, asking('why not?', more))
    assert.is(status, 429)
    return json.error.message
  }
  assert.match(
    await refused({ max_tokens: 1000 }),
    /^the daily token limit of openai is too low for this call: this call may take 1,0\d\d tokens, more than the whole limit of 180 tokens; a smaller max_tokens would pass$/,
  )
  assert.is((await gateway.post(CHAT, asking('one', { max_tokens: 1 }))).status, 200)
  await settled(gateway)
  assert.match(
    await refused({ max_tokens: 100 }),
    /: 130 tokens of 180 tokens are used, this one may take 1\d\d tokens; a s/,
  )
  const long = { messages: [{ role: 'user', content: 'x'.repeat(2000) }] }
  assert.not.match(await refused(long), 'smaller')
  upstream.clear()
  upstream.script({ usage: { input: 50, output: 1 } })
  assert.is((await gateway.post(CHAT, asking('two', { max_tokens: 1 }))).status, 200)
  await settled(gateway)
  assert.match(
    await refused({ max_tokens: 1 }),
    /^the daily token limit of openai is reached until .*: 181 tokens of 180 tokens/,
  )
  await gateway.close()
})

test('a call that alone would pass a quota is not told to wait, and one provider’s window gives no time for another', async () => {
  const settings = { SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block' }
  const huge = asking('why not?', { max_tokens: 1000 })
  const blocked = await withQuota(settings)
  const { status, headers, json } = await blocked.post(CHAT, huge)
  assert.equal([status, headers.get('retry-after'), headers.get('x-should-retry')], [429, null, 'false'])
  assert.is(json.error.code, 'insufficient_quota')
  assert.not.match(json.error.message, 'until')
  await blocked.close()

  const fallback = await withQuota({ SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'fallback' })
  const alone = await fallback.post(CHAT, huge)
  assert.equal([alone.status, alone.headers.get('retry-after')], [429, null])
  assert.is(alone.headers.get('x-should-retry'), 'false')
  await fallback.close()

  // The other provider's own limit passes: its time is the one to wait for.
  const chain = await withQuota(FALLBACK)
  backup.clear()
  backup.script({ status: 429, headers: { 'retry-after': '100' }, json: { error: { message: 'slow down' } } })
  const limited = await chain.post(CHAT, huge)
  assert.equal([limited.status, limited.headers.get('retry-after')], [429, '100'])
  await chain.close()
})

/** Of the daily tokens of openai. */
function taken({ gateway }: TestGateway): { used: number; reserved: number } {
  const [status] = gateway.offers(quotaStatus).get('quota')?.() ?? []
  const { used = NaN, reserved = NaN } = status?.windows[0] ?? {}
  return { used, reserved }
}

/** The same once no call is on its way. */
async function settled(gateway: TestGateway): Promise<{ used: number; reserved: number }> {
  await until('all is settled', () => taken(gateway).reserved === 0)
  return taken(gateway)
}

test('a stream is settled with what it took, and what it reserved until then is shown', async () => {
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000' })
  let release = (): void => {}
  const after = new Promise<void>(resolve => {
    release = resolve
  })
  upstream.clear()
  upstream.script({ text: 'a b c', after, usage: { input: 33, output: 3 } })
  const streaming = gateway.stream(CHAT, asking('one'))
  await upstream.arrived(1)
  const { used, reserved } = taken(gateway)
  assert.is(used, 0)
  assert.ok(reserved >= 100 && reserved < 150, String(reserved))
  release()
  assert.is((await streaming).content, 'a b c')
  assert.equal(await settled(gateway), { used: 36, reserved: 0 })
  await gateway.close()
})

test('a stream whose client leaves is settled with its prompt and what had come of its answer', async () => {
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '5000' })
  upstream.clear()
  upstream.script({ text: 'a b c d', stallAfter: 3 })
  const leaving = new AbortController()
  const body = JSON.stringify(asking('one', { stream: true }))
  const response = await fetch(gateway.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: leaving.signal,
  })
  assert.is(response.status, 200)
  leaving.abort()
  assert.equal(await settled(gateway), {
    used: Math.ceil(body.length / 4) + Math.ceil('a b c'.length / 4),
    reserved: 0,
  })
  await gateway.close()
})

test('what a vendor refuses costs nothing, and each try of a call that fails is given back', async () => {
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000' })
  upstream.clear()
  upstream.script({ status: 401 })
  assert.is((await gateway.post(CHAT, asking('one'))).status, 502)
  assert.equal(await settled(gateway), { used: 0, reserved: 0 })
  await gateway.close()
})

test('counts of tokens, lists of models and what is cached take nothing', async () => {
  const gateway = await withQuota({ SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000' })
  assert.is((await gateway.get('/v1/models')).status, 200)
  assert.is((await gateway.post('/v1/messages/count_tokens', asking('how many?'))).status, 200)
  assert.equal(await settled(gateway), { used: 0, reserved: 0 })
  for (let i = 0; i < 3; i++) assert.is((await gateway.post(CHAT, asking('one'))).status, 200)
  assert.equal(await settled(gateway), { used: 130, reserved: 0 })
  await gateway.close()
})

test('`typical` reserves the length of usual answers, so that calls with room to spare pass together', async () => {
  const SETTINGS = {
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '3000',
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
  }
  for (const [reserve, expected] of [
    ['max', [200, 429]],
    ['typical', [200, 200]],
  ] as const) {
    const gateway = await withQuota({ ...SETTINGS, SERVICE__QUOTA_RESERVE: reserve })
    const calls = ['one', 'two'].map(content => gateway.post(CHAT, asking(content, { max_tokens: 2000 })))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    assert.equal(statuses.toSorted(), expected, reserve)
    await gateway.close()
  }
})

test('what a month has taken counts on beyond the days that the books keep, also after a restart', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 2, 12))
  const settings = {
    SERVICE_DATA_DIR: tempFolder('quota'),
    SERVICE__USAGE_RETENTION_DAYS: '1',
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '',
    SERVICE__QUOTA__OPENAI__MONTHLY_TOKEN_LIMIT: ONE_CALL,
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
  }
  const first = await withQuota(settings, clock)
  assert.is((await first.post(CHAT, asking('one'))).status, 200)
  await settled(first)
  await first.close()
  clock.set(20 * 24 * 3_600_000)
  const second = await withQuota(settings, clock)
  assert.equal(
    readdirSync(settings.SERVICE_DATA_DIR).filter(name => name.includes('2026-11-02')),
    [],
  )
  assert.is((await second.post(CHAT, asking('two'))).status, 429)
  await second.close()
})

test('what was counted outlives a reload, which may change the limit', async () => {
  const settings: Record<string, string> = { SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block' }
  const gateway = await withQuota(settings)
  assert.is((await gateway.post(CHAT, asking('one'))).status, 200)
  assert.ok((await gateway.gateway.reload()).ok)
  assert.is((await gateway.post(CHAT, asking('two'))).status, 429)
  assert.equal(await settled(gateway), { used: 130, reserved: 0 })
  await gateway.close()
})

test('dollars are counted by the price of the model, and a model without one is named once', async () => {
  const lines: unknown[] = []
  const gateway = await startGateway({
    upstream,
    log: { debug() {}, info() {}, error() {}, warn: (message, facts) => void lines.push([message, facts]) },
    settings: {
      ...FALLBACK,
      SERVICE__QUOTA: JSON.stringify({
        openai: { daily_cost_limit_usd: 0.0002, action_on_limit: 'fallback' },
        groq: { daily_cost_limit_usd: 1, action_on_limit: 'block' },
      }),
      SERVICE__USAGE_PRICING: JSON.stringify({
        openai: { input_cost_per_million_usd: 1, output_cost_per_million_usd: 1 },
      }),
    },
  })
  const providers: (string | null)[] = []
  for (const content of ['one', 'two', 'three'])
    providers.push((await gateway.post(CHAT, asking(content))).headers.get('x-service-provider'))
  assert.equal(providers, ['openai', 'groq', 'groq'])
  assert.equal(
    lines.filter(line => /no price/.test(String(line))),
    [
      [
        'a model has no price, so limits of cost do not count it; set usage_pricing for its provider',
        { provider: 'groq', model: 'other' },
      ],
    ],
  )
  const [openai, groq] = gateway.gateway.offers(quotaStatus).get('quota')?.() ?? []
  assert.equal([openai?.windows[0]?.used, groq?.windows[0]?.used], [0.00013, 0])
  assert.match(
    openai?.lines[0] ?? '',
    /^openai: 65 % of the daily cost limit \(0\.00013 USD of 0\.0002 USD\), until 20/,
  )
  await gateway.close()
})

test('providers of one vendor share its policy, unless one has a policy of its own', async () => {
  const entry = { provider: 'groq', api_key: 'k', url: backup.url, model: 'other' }
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { ...entry, name: 'a' },
        { ...entry, name: 'b' },
        { ...entry, name: 'c' },
      ]),
      SERVICE__QUOTA: JSON.stringify({
        groq: { daily_token_limit: 180, action_on_limit: 'block' },
        c: { daily_token_limit: 180, action_on_limit: 'block' },
      }),
    },
  })
  const replies: Awaited<ReturnType<typeof gateway.post>>[] = []
  for (const name of ['a', 'b', 'a', 'c', 'c'])
    replies.push(await gateway.post(CHAT, asking(`${replies.length}`, { model: `${name}/other` })))
  assert.equal(
    replies.map(({ status }) => status),
    [200, 429, 429, 200, 429],
  )
  const told = replies.map(({ json }) => json.error?.message)
  assert.match(told[1], /^the daily token limit of groq, shared by a and b, has no room for this call until /)
  assert.match(told[4], /^the daily token limit of c has no room for this call until /)
  await gateway.close()
})

test('a quota of a vendor counts all its names and endpoints together', async () => {
  const entry = { api_key: 'k', url: backup.url, model: 'other' }
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { ...entry, provider: 'openai-responses' },
        { ...entry, provider: 'grok' },
        { ...entry, provider: 'together', name: 'open' },
        { ...entry, provider: 'togetherai' },
      ]),
      SERVICE__QUOTA: JSON.stringify(
        Object.fromEntries(
          ['openai', 'xai', 'together'].map(name => [name, { daily_token_limit: 180, action_on_limit: 'block' }]),
        ),
      ),
    },
  })
  const statuses: number[] = []
  for (const model of ['m', 'openai-responses/m', 'grok/m', 'grok/m', 'open/m', 'togetherai/m'])
    statuses.push((await gateway.post(CHAT, asking(`${statuses.length}`, { model }))).status)
  assert.equal(statuses, [200, 429, 200, 429, 200, 429])
  await gateway.close()
})

test('embeddings reserve their prompt alone, and files are refused where nothing is left', async () => {
  const gateway = await withQuota({
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'fallback',
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '60',
  })
  upstream.clear()
  const vectors = { data: [{ index: 0, embedding: [1] }], model: 'm', usage: { prompt_tokens: 60, total_tokens: 60 } }
  upstream.script({ json: vectors }, { json: { data: [] } })
  assert.is((await gateway.post('/v1/embeddings', { model: 'm', input: 'a heron' })).status, 200)
  await until('it is settled', () => taken(gateway).used === 60)
  const refused = await gateway.post('/v1/embeddings', { model: 'm', input: 'another heron' })
  assert.equal([refused.status, refused.json.error.code], [429, 'insufficient_quota'])
  const image = await gateway.post('/v1/images/generations', { model: 'm', prompt: 'a heron' })
  assert.equal([image.status, image.json.error.code], [429, 'insufficient_quota'])
  assert.is((await gateway.get('/v1/files')).status, 200, 'a list costs nothing')
  await gateway.close()
})

test('what vendors report of images, sound and streams of them is counted, booked, and nothing follows it', async () => {
  const gateway = await withQuota({
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '5100',
    SERVICE__STREAM_IDLE_SECS: '5',
  })
  upstream.clear()
  const spoken = ['{"type":"transcript.text.delta","delta":"hi"}', '{"type":"transcript.text.done","usage":USAGE}']
  const sse = spoken.map(data => `data: ${data.replace('USAGE', '{"input_tokens":14,"total_tokens":20}')}\n\n`)
  upstream.script(
    { json: { results: [], usage: { total_tokens: 75 } } },
    { json: { id: 'batch-1', usage: { input_tokens: 900, output_tokens: 900, total_tokens: 1800 } } },
    { sse },
    { json: { data: [{ b64_json: 'AA' }], usage: { total_tokens: 5000, input_tokens: 50, output_tokens: 4950 } } },
  )
  assert.is((await gateway.post('/v1/rerank', { model: 'm', query: 'x', documents: ['a'] })).status, 200)
  assert.is((await gateway.get('/v1/batches/batch-1')).status, 200)
  assert.is((await settled(gateway)).used, 75, 'a look at a batch takes nothing')
  const form = '--x\r\ncontent-disposition: form-data; name="stream"\r\n\r\ntrue\r\n--x--\r\n'
  const sound = await gateway.send('/v1/audio/transcriptions', form, {
    'content-type': 'multipart/form-data; boundary=x',
  })
  assert.is(sound.text, sse.join(''))
  await until('the stream is counted', () => taken(gateway).used === 95)
  assert.is((await gateway.post('/v1/images/generations', { model: 'm', prompt: 'a heron' })).status, 200)
  await until('the image is counted', () => taken(gateway).used === 5095)
  upstream.script(() => ({ json: { usage: { total_tokens: 5 } } }))
  assert.is((await gateway.post('/v1/moderations', { model: 'm', input: 'x' })).status, 200)
  await until('the last is counted', () => taken(gateway).used === 5100)
  const made = upstream.calls.length
  for (const path of ['images/generations', 'audio/speech', 'moderations', 'rerank', 'batches'])
    assert.is((await gateway.post(`/v1/${path}`, { model: 'm', prompt: 'x' })).status, 429, path)
  assert.is(upstream.calls.length, made)
  await until('it is booked', async () => (await gateway.get('/debug/usage')).json.total_tokens === 5100)
  await gateway.close()
})

test.run()
