import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quotaStatus } from 'deflector/facets/quota-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readEvent, type UsageEvent } from '../../plugins/observers/usage/event.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { type Reply, type Script, startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => upstream.clear())

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'What is a heron?' }]

interface Kept {
  readonly gateway: TestGateway
  /** The ledger once it has so many lines. */
  lines(count: number): Promise<UsageEvent[]>
}

async function withLedger(provider: string, settings: Readonly<Record<string, string>> = {}): Promise<Kept> {
  const folder = tempFolder('usage')
  const gateway = await startGateway({ upstream, provider, settings: { SERVICE__USAGE_LOG_PATH: folder, ...settings } })
  const read = (): UsageEvent[] =>
    readFileSync(join(folder, 'usage.jsonl'), 'utf8')
      .split('\n')
      .flatMap(line => readEvent(line) ?? [])
  const lines = async (count: number): Promise<UsageEvent[]> => {
    await until(`${count} lines are booked`, () => read().length >= count)
    return read()
  }
  return { gateway, lines }
}

test('the smallest pipeline keeps books, too', async () => {
  const folder = tempFolder('usage')
  const pipeline = fileURLToPath(new URL('../../pipelines/tiny.yaml', import.meta.url))
  upstream.script({ text: 'a bird', usage: { input: 1000, output: 200 } })
  const prices = { openai: { input_cost_per_million_usd: 1, output_cost_per_million_usd: 5 } }
  const settings = { SERVICE__USAGE_LOG_PATH: folder, SERVICE__USAGE_PRICING: JSON.stringify(prices) }
  const gateway = await startGateway({ upstream, pipeline, settings })
  for (let n = 0; n < 2; n++) await gateway.post(CHAT, { model: 'm', messages })
  const file = join(folder, 'usage.jsonl')
  await until('both are booked', () => readFileSync(file, 'utf8').split('\n').length === 3)
  const booked = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => readEvent(line) ?? [])
  assert.equal(
    booked.map(({ final_layer, deflected, estimated_cost_usd }) => [final_layer, deflected, estimated_cost_usd]),
    [
      ['l3', false, 0.002],
      ['l1a', true, 0],
    ],
  )
  assert.ok((booked[1]?.saved_cost_usd ?? 0) > 0)
  await gateway.close()
})

const sse = (...events: readonly (object | string)[]): { readonly sse: readonly string[] } => ({
  sse: events.map(event => {
    if (typeof event === 'string') return `data: ${event}\n\n`
    const name = 'type' in event ? `event: ${event.type}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  }),
})

/** What vendors say of one answer, in their own words: 1000 tokens in, 600 of them cached, 200 out, 50 of these thought. */
const FAMILIES: readonly {
  readonly provider: string
  readonly model: string
  readonly path: string
  readonly streamPath?: string
  readonly body: object
  readonly whole: Script
  readonly stream: Script
  readonly written: number
}[] = [
  {
    provider: 'openai',
    model: 'gpt-5.4-mini',
    path: CHAT,
    body: { model: 'gpt-5.4-mini', messages },
    written: 0,
    ...(() => {
      const usage = {
        prompt_tokens: 1000,
        completion_tokens: 200,
        total_tokens: 1200,
        prompt_tokens_details: { cached_tokens: 600 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }
      const head = { id: 'c1', created: 1, model: 'gpt-5.4-mini' }
      const chunk = { ...head, object: 'chat.completion.chunk' }
      return {
        whole: {
          json: {
            ...head,
            object: 'chat.completion',
            choices: [{ index: 0, message: { role: 'assistant', content: 'A bird.' }, finish_reason: 'stop' }],
            usage,
          },
        },
        stream: sse(
          { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'A bird.' }, finish_reason: null }] },
          { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
          { ...chunk, choices: [], usage },
          '[DONE]',
        ),
      }
    })(),
  },
  {
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    path: '/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 500, messages },
    written: 100,
    ...(() => {
      const sent = { input_tokens: 300, cache_read_input_tokens: 600, cache_creation_input_tokens: 100 }
      const thought = { output_tokens: 200, output_tokens_details: { thinking_tokens: 50 } }
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5' }
      const content = [{ type: 'text', text: 'A bird.' }]
      return {
        whole: {
          json: { ...message, content, stop_reason: 'end_turn', stop_sequence: null, usage: { ...sent, ...thought } },
        },
        stream: sse(
          {
            type: 'message_start',
            message: { ...message, content: [], stop_reason: null, usage: { ...sent, output_tokens: 1 } },
          },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A bird.' } },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: thought },
          { type: 'message_stop' },
        ),
      }
    })(),
  },
  {
    provider: 'gemini',
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'What is a heron?' }] }] },
    written: 0,
    ...(() => {
      const answer = {
        candidates: [{ content: { role: 'model', parts: [{ text: 'A bird.' }] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          promptTokenCount: 980,
          toolUsePromptTokenCount: 20,
          cachedContentTokenCount: 600,
          candidatesTokenCount: 150,
          thoughtsTokenCount: 50,
          totalTokenCount: 1200,
        },
        modelVersion: 'gemini-2.5-flash',
        responseId: 'r1',
      }
      return { whole: { json: answer }, stream: sse(answer) }
    })(),
  },
  {
    provider: 'openai-responses',
    model: 'gpt-5.4-mini',
    path: '/v1/responses',
    body: { model: 'gpt-5.4-mini', input: 'What is a heron?', store: false },
    written: 0,
    ...(() => {
      const usage = {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 600 },
        output_tokens: 200,
        output_tokens_details: { reasoning_tokens: 50 },
        total_tokens: 1200,
      }
      const part = { type: 'output_text', text: 'A bird.', annotations: [] }
      const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] }
      const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4-mini' }
      const done = { ...head, status: 'completed', output: [item], usage }
      const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
      return {
        whole: { json: done },
        stream: sse(
          { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { ...item, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
          { type: 'response.output_text.delta', ...at, delta: 'A bird.' },
          { type: 'response.output_text.done', ...at, text: 'A bird.' },
          { type: 'response.content_part.done', ...at, part },
          { type: 'response.output_item.done', output_index: 0, item },
          { type: 'response.completed', response: done },
        ),
      }
    })(),
  },
]

for (const { provider, model, path, streamPath = path, body, whole, stream, written } of FAMILIES) {
  test(`${provider}: the books have the vendor's own totals, of whole answers as of streams`, async () => {
    const { gateway, lines } = await withLedger(provider)
    upstream.script(whole, stream)
    const ask = async (at: string, more: object): Promise<void> => {
      const { status, text } = await gateway.send(at, JSON.stringify({ ...body, ...more }), {
        'cache-control': 'no-cache',
      })
      assert.is(status, 200, text)
    }
    await ask(path, {})
    await ask(streamPath, path === streamPath ? { stream: true } : {})
    for (const event of await lines(2)) {
      const { prompt_tokens, completion_tokens, cached_read_tokens, cache_write_tokens, total_tokens } = event
      assert.equal([event.provider, event.model, event.estimated, event.deflected], [provider, model, false, false])
      assert.equal([prompt_tokens, cached_read_tokens, cache_write_tokens], [400 - written, 600, written])
      assert.equal([completion_tokens, event.reasoning_tokens], [200, 50])
      assert.is(prompt_tokens + cached_read_tokens + cache_write_tokens + completion_tokens, 1200)
      assert.is(total_tokens, 1200)
      assert.ok(event.price && event.estimated_cost_usd)
      const { input, output, cache_read = input, cache_write = input } = event.price
      const due = ((400 - written) * input + 600 * cache_read + written * cache_write + 200 * output) / 1e6
      assert.ok(Math.abs(event.estimated_cost_usd - due) < 1e-12)
    }
    const { json } = await gateway.get('/debug/usage')
    assert.equal(
      [json.total_requests, json.total_prompt_tokens, json.total_completion_tokens, json.total_tokens],
      [2, 2000, 400, 2400],
    )
    await gateway.close()
  })
}

const asking = (content: string, more: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content }],
  ...more,
})

test('a deflected request saves what its answer cost, and has no tokens of its own', async () => {
  const { gateway, lines } = await withLedger('openai')
  upstream.script({ text: 'a bird', usage: { input: 1000, output: 100 } })
  for (let i = 0; i < 3; i++)
    await gateway.post(CHAT, asking('What is a heron?'), { 'x-service-tags': 'blue, red ,blue' })
  await gateway.stream(CHAT, asking('What is a heron?'))
  const [paid, ...saved] = await lines(4)
  const cost = (1000 * 2.5 + 100 * 10) / 1e6
  assert.equal([paid?.deflected, paid?.estimated_cost_usd, paid?.saved_cost_usd], [false, cost, 0])
  assert.equal(paid?.tags, ['blue', 'red'])
  for (const { deflected, total_tokens, saved_cost_usd, saved_tokens, estimated, final_layer, attempts } of saved)
    assert.equal(
      { deflected, total_tokens, saved_cost_usd, saved_tokens, estimated, final_layer, attempts },
      {
        deflected: true,
        total_tokens: 0,
        saved_cost_usd: cost,
        saved_tokens: 1100,
        estimated: false,
        final_layer: 'l1a',
        attempts: [],
      },
    )
  const { json } = await gateway.get('/api/admin/usage?hours=1')
  assert.is(json.window_hours, 1)
  assert.is(json.deflection_rate, 0.75)
  assert.ok(Math.abs(json.estimated_saved_cost_usd - 3 * cost) < 1e-12)
  const { json: tags } = await gateway.get('/api/admin/usage/breakdown?by=tag')
  assert.equal(
    tags.rows.map(({ tag, requests_total }: { tag: string; requests_total: number }) => [tag, requests_total]),
    [
      ['blue', 3],
      ['red', 3],
    ],
  )
  await gateway.close()
})

test("a compaction by the vendor is booked, and its client reads the vendor's own usage", async () => {
  const { gateway, lines } = await withLedger('anthropic')
  const usage = {
    input_tokens: 23_000,
    output_tokens: 1000,
    iterations: [
      { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
      { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
    ],
  }
  const model = 'claude-haiku-4-5'
  const content = [{ type: 'text', text: 'A bird.' }]
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', usage }
  upstream.script({ json: message })
  const { json } = await gateway.post('/v1/messages', { model, max_tokens: 500, messages })
  assert.equal(json.usage, usage)
  const [event] = await lines(1)
  assert.equal([event?.prompt_tokens, event?.completion_tokens], [203_000, 4500])
  await gateway.close()
})

for (const streamed of [false, true])
  test(`the price is that of the class of service that the vendor says it used, ${streamed ? 'streamed' : 'whole'}`, async () => {
    const { gateway, lines } = await withLedger('openai', { SERVICE__QUOTA__OPENAI__DAILY_COST_LIMIT_USD: '1' })
    const model = 'gpt-5.4'
    const ask = async (asked: string | undefined, used: string | undefined): Promise<void> => {
      const head = { id: 'c', created: 1, model, service_tier: used }
      const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
      const choice = { index: 0, finish_reason: 'stop' }
      const chunk = { ...head, object: 'chat.completion.chunk', choices: [{ ...choice, delta: { content: 'a bird' } }] }
      const message = { role: 'assistant', content: 'a bird' }
      const whole = { ...head, object: 'chat.completion', choices: [{ ...choice, message }], usage }
      upstream.script(streamed ? sse(chunk, { ...chunk, choices: [], usage }, '[DONE]') : { json: whole })
      const body = { ...asking(`${asked} ${used}`), model, ...(asked && { service_tier: asked }) }
      if (streamed) await gateway.stream(CHAT, body)
      else await gateway.post(CHAT, body)
    }
    const [standard, priority] = [(1000 * 2.5 + 100 * 15) / 1e6, (1000 * 5 + 100 * 30) / 1e6]
    await ask(undefined, 'priority')
    await ask('priority', 'default')
    await ask('priority', undefined)
    const booked = await lines(3)
    assert.equal(
      booked.map(({ estimated_cost_usd, price }) => [estimated_cost_usd, price?.input]),
      [
        [priority, 5],
        [standard, 2.5],
        [priority, 5],
      ],
    )
    const counted = (): number => gateway.gateway.offers(quotaStatus).get('quota')?.()[0]?.windows[0]?.used ?? 0
    await until('all is settled', () => Math.abs(counted() - (2 * priority + standard)) < 1e-9)
    await gateway.close()
  })

test('usage by key has keys without a label as they are masked elsewhere', async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__EXTERNAL_LLM_API_KEY: 'sk-of-nobody-0123456789abcdef-last',
    SERVICE__PROVIDER_KEYS: JSON.stringify([{ key: 'sk-of-ann-0123456789abcdef', label: 'ann' }]),
    SERVICE__KEY_ROTATION_STRATEGY: 'round_robin',
  })
  for (const content of ['one', 'two']) {
    upstream.script({ text: 'a bird', usage: { input: 10, output: 5 } })
    await gateway.post(CHAT, asking(content))
  }
  await lines(2)
  const { json, text } = await gateway.get('/api/admin/usage/breakdown?by=key')
  const rows: { key: string; total_tokens: number }[] = json.rows
  assert.equal(rows.map(({ key, total_tokens }) => [key, total_tokens]).sort(), [
    ['openai/ann', 15],
    ['openai/sk-o…last', 15],
  ])
  const { json: status } = await gateway.get('/debug/providers')
  assert.match(JSON.stringify(status), 'sk-o…last')
  assert.not.match(text, 'nobody')
  await gateway.close()
})

test('an unknown price is null and counted as such, never 0', async () => {
  const { gateway, lines } = await withLedger('openai')
  upstream.script({ text: 'a bird', usage: { input: 10, output: 5 } })
  await gateway.post(CHAT, asking('What is a heron?', { model: 'gpt-of-tomorrow' }))
  await gateway.post(CHAT, asking('What is a heron?', { model: 'gpt-of-tomorrow' }))
  const [paid, saved] = await lines(2)
  assert.equal([paid?.price, paid?.estimated_cost_usd, paid?.total_tokens], [null, null, 15])
  assert.equal([saved?.deflected, saved?.saved_cost_usd], [true, null])
  const { json } = await gateway.get('/debug/usage')
  assert.equal([json.estimated_cost_usd, json.estimated_saved_cost_usd, json.unpriced], [null, null, 2])
  await gateway.close()
})

test("the operator's price stands over the list", async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__USAGE_PRICING__OPENAI__INPUT_COST_PER_MILLION_USD: '100',
    SERVICE__USAGE_PRICING__OPENAI__OUTPUT_COST_PER_MILLION_USD: '200',
  })
  upstream.script({ text: 'a bird', usage: { input: 10_000, output: 5000 } })
  await gateway.post(CHAT, asking('What is a heron?'))
  const [paid] = await lines(1)
  assert.equal([paid?.estimated_cost_usd, paid?.price?.source], [2, 'configured'])
  await gateway.close()
})

test('a failed provider costs nothing, and the one that answered has the request', async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
      { provider: 'groq', name: 'backup', model: 'openai/gpt-oss-20b', api_key: 'k', url: upstream.url },
    ]),
  })
  upstream.script({ status: 401 }, { text: 'a bird', usage: { input: 10, output: 5 } })
  await gateway.post(CHAT, asking('What is a heron?'))
  const [event] = await lines(1)
  assert.equal([event?.provider, event?.model], ['backup', 'openai/gpt-oss-20b'])
  assert.equal(
    event?.attempts.map(({ provider, status, cost, usage }) => [provider, status, cost === 0, usage.total_tokens]),
    [
      ['openai', 401, true, 0],
      ['backup', 200, false, 15],
    ],
  )
  assert.equal(event?.price?.source, 'listed')
  await gateway.close()
})

test('a stream that its client left is booked by what came of it, as an estimate', async () => {
  const { gateway, lines } = await withLedger('openai')
  const text = 'a long-legged bird that stands in the water and waits for fish'
  upstream.script({ text, stallAfter: 6 })
  const controller = new AbortController()
  const response = await fetch(gateway.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asking('What is a heron?', { stream: true })),
    signal: controller.signal,
  })
  await response.body?.getReader().read()
  controller.abort()
  const [event] = await lines(1)
  assert.ok(event)
  assert.is(event.status, 499)
  assert.is(event.estimated, true)
  assert.ok(event.completion_tokens > 0 && event.completion_tokens <= Math.ceil(text.length / 4))
  assert.ok(event.prompt_tokens > 0 && (event.estimated_cost_usd ?? 0) > 0)
  await gateway.close()
})

test('where a vendor may have worked at a prompt, the books and the quota count it alike, as an estimate', async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000000',
    SERVICE__L3_TIMEOUT_SECS: '1',
    SERVICE__PROVIDER_HEALTH_CHECK_INTERVAL_SECS: '0',
  })
  const leave = async (more: object): Promise<void> => {
    upstream.clear()
    upstream.script({ silent: true })
    const controller = new AbortController()
    const asked = fetch(gateway.url + CHAT, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asking('What is a heron?', more)),
      signal: controller.signal,
    }).catch(() => {})
    await upstream.arrived(1)
    controller.abort()
    await asked
  }
  await leave({})
  await leave({ stream: true })
  upstream.clear()
  upstream.script({ silent: true })
  assert.is((await gateway.post(CHAT, asking('and a crane?'))).status, 502)
  upstream.clear()
  upstream.script(() => ({ reset: true }))
  assert.is((await gateway.post(CHAT, asking('and a stork?'))).status, 502)
  const events = await lines(4)
  for (const { estimated, prompt_tokens, completion_tokens, estimated_cost_usd, attempts } of events) {
    assert.is(estimated, true)
    assert.ok(prompt_tokens > 0 && (estimated_cost_usd ?? 0) > 0)
    assert.is(completion_tokens, 0)
    assert.ok(attempts.every(({ usage }) => usage.estimated && usage.prompt_tokens > 0))
  }
  const booked = events.reduce((sum, { total_tokens }) => sum + total_tokens, 0)
  const { json } = await gateway.get('/api/admin/usage/breakdown')
  assert.is(json.quota_status[0].windows[0].used, booked)
  await gateway.close()
})

test('where a vendor does not count its answer, the books and the quota guess alike', async () => {
  const { gateway, lines } = await withLedger('openai', { SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000000' })
  const message = { role: 'assistant', content: 'A bird with long legs.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  upstream.script({ json: { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices } })
  assert.is((await gateway.post(CHAT, asking('What is a heron?'))).status, 200)
  const [event] = await lines(1)
  assert.equal([event?.completion_tokens, event?.estimated], [Math.ceil(message.content.length / 4), true])
  const { json } = await gateway.get('/api/admin/usage/breakdown')
  assert.is(json.quota_status[0].windows[0].used, event?.total_tokens)
  await gateway.close()
})

test('what a vendor caches for an hour costs the quota as much as the books', async () => {
  const { gateway, lines } = await withLedger('anthropic', {
    SERVICE__QUOTA: JSON.stringify({ anthropic: { daily_cost_limit_usd: 100, action_on_limit: 'block' } }),
  })
  upstream.script({
    json: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'A bird.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, cache_creation_input_tokens: 100_000, output_tokens: 10 },
    },
  })
  const system = [{ type: 'text', text: 'Birds only.', cache_control: { type: 'ephemeral', ttl: '1h' } }]
  const body = { model: 'claude-sonnet-4-5', max_tokens: 20, system, messages }
  assert.is((await gateway.post('/v1/messages', body)).status, 200)
  const [event] = await lines(1)
  assert.is(event?.cache_write_tokens, 100_000)
  assert.is(event?.estimated_cost_usd, (100_000 * 6 + 10 * 3 + 10 * 15) / 1e6)
  const { json } = await gateway.get('/api/admin/usage/breakdown')
  assert.is(json.quota_status[0].windows[0].used, event?.estimated_cost_usd)
  await gateway.close()
})

test('tokens that a vendor caches for an hour and for minutes have a price each, as it counts them', async () => {
  const { gateway, lines } = await withLedger('anthropic')
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 10_000,
    cache_creation: { ephemeral_5m_input_tokens: 9_000, ephemeral_1h_input_tokens: 1_000 },
    output_tokens: 10,
  }
  const content = [{ type: 'text', text: 'A bird.' }]
  const whole = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content, usage }
  upstream.script({ json: { ...whole, stop_reason: 'end_turn', stop_sequence: null } })
  const system = [{ type: 'text', text: 'Birds only.', cache_control: { type: 'ephemeral', ttl: '1h' } }]
  await gateway.post('/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 20, system, messages })
  const [event] = await lines(1)
  assert.is(event?.estimated_cost_usd, (9_000 * 3.75 + 1_000 * 6 + 10 * 3 + 10 * 15) / 1e6)
  await gateway.close()
})

test('a prompt that its client has cached is reserved at the price of writing it there', async () => {
  const text = 'Birds only. '.repeat(4_000) // 12,000 tokens: 0.072 dollars when kept for an hour, 0.036 when only read
  const body = (more: object) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 20,
    system: [{ type: 'text', text, ...more }],
    messages,
  })
  const { gateway } = await withLedger('anthropic', {
    SERVICE__QUOTA: JSON.stringify({ anthropic: { daily_cost_limit_usd: 0.06, action_on_limit: 'block' } }),
  })
  const whole = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'A bird.' }],
  }
  const usage = { input_tokens: 10, output_tokens: 1 }
  upstream.script(() => ({ json: { ...whole, stop_reason: 'end_turn', stop_sequence: null, usage } }))
  const status = async (more: object): Promise<number> => (await gateway.post('/v1/messages', body(more))).status
  assert.is(await status({ cache_control: { type: 'ephemeral', ttl: '1h' } }), 429)
  assert.is(await status({}), 200)
  assert.is(await status({ cache_control: { type: 'ephemeral' } }), 200)
  await gateway.close()
})

test('a vendor that cannot be reached costs nothing', async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__EXTERNAL_LLM_URL: 'http://127.0.0.1:1/v1',
    SERVICE__L3_TIMEOUT_SECS: '1',
  })
  await gateway.post(CHAT, asking('What is a heron?'))
  const [event] = await lines(1)
  assert.equal([event?.status, event?.estimated, event?.total_tokens, event?.estimated_cost_usd], [502, false, 0, 0])
  await gateway.close()
})

test('a count of tokens that cannot be true is no count', async () => {
  const { gateway, lines } = await withLedger('openai')
  upstream.script(
    { text: 'a bird', usage: { input: 1e30, output: 5 } },
    { text: 'a bird', usage: { input: 10.5, output: 5 } },
  )
  await gateway.post(CHAT, asking('What is a heron?'))
  await gateway.post(CHAT, asking('What is a heron?')) // from the cache
  await gateway.post(CHAT, asking('What is a stork?'))
  for (const { estimated, total_tokens, saved_tokens } of await lines(3)) {
    assert.is(estimated, true)
    assert.ok(total_tokens + saved_tokens > 0 && total_tokens + saved_tokens < 100)
  }
  await gateway.close()
})

test('requests that join a call are booked without a second cost', async () => {
  const { gateway, lines } = await withLedger('openai')
  let go = (): void => {}
  const after = new Promise<void>(resolve => (go = resolve))
  upstream.script({ text: 'a bird', usage: { input: 10, output: 5 }, after })
  const calls = [1, 2, 3].map(() => gateway.post(CHAT, asking('What is a heron?')))
  await upstream.arrived(1)
  go()
  await Promise.all(calls)
  const events = await lines(3)
  assert.is(upstream.calls.length, 1)
  assert.is(
    events.reduce((sum, { total_tokens }) => sum + total_tokens, 0),
    15,
  )
  const { json } = await gateway.get('/debug/usage')
  assert.equal([json.total_requests, json.total_tokens], [3, 15])
  await gateway.close()
})

test('a response that is looked up costs nothing again', async () => {
  const { gateway, lines } = await withLedger('openai-responses')
  const done = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-5.4-mini',
    status: 'completed',
    output: [],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  }
  upstream.script({ json: done }, { json: done })
  await gateway.post('/v1/responses', { model: 'gpt-5.4-mini', input: 'What is a heron?' })
  assert.is((await gateway.get('/v1/responses/resp_1')).status, 200)
  assert.equal(
    (await lines(2)).map(({ operation, total_tokens, estimated_cost_usd }) => [
      operation,
      total_tokens,
      estimated_cost_usd === 0,
    ]),
    [
      ['chat', 15, false],
      ['responses_retrieve', 0, true],
    ],
  )
  await gateway.close()
})

test('what has no valid key, and what only counts tokens, is in no books', async () => {
  const { gateway, lines } = await withLedger('openai', { SERVICE__GATEWAY_API_KEY: 'a-gateway-key' })
  await gateway.post(CHAT, asking('hello'))
  const key = { authorization: 'Bearer a-gateway-key' }
  await gateway.post('/v1/messages/count_tokens', { ...asking('hello'), model: 'claude-haiku-4-5' }, key)
  upstream.script({ text: 'a bird', usage: { input: 10, output: 5 } })
  await gateway.post(CHAT, asking('hello'), key)
  assert.equal(
    (await lines(1)).map(({ status, total_tokens }) => [status, total_tokens]),
    [[200, 15]],
  )
  assert.is((await gateway.get('/debug/usage', key)).json.total_requests, 1)
  assert.is((await gateway.get('/debug/stats/prompts', key)).json.total_prompts, 1)
  assert.is((await gateway.get('/debug/usage')).status, 401)
  await gateway.close()
})

test('a refused request is booked once, names no provider, and statistics count the same', async () => {
  const { gateway, lines } = await withLedger('openai', {
    SERVICE__GATEWAY_API_KEYS: JSON.stringify([
      { key: 'key-of-ann-0123456789', label: 'ann' },
      { key: 'key-of-bob-0123456789', label: 'bob' },
      { key: 'key-of-op-01234567890', label: 'op', admin: true },
    ]),
    SERVICE__LIMITS: JSON.stringify({ ann: { requests_per_minute: 0 }, bob: { daily_cost_limit_usd: 0 } }),
  })
  const as = (name: string) => ({ authorization: `Bearer key-of-${name}` })
  assert.is((await gateway.post(CHAT, asking('hello'), as('ann-0123456789'))).status, 429)
  assert.is((await gateway.post(CHAT, asking('hello'), as('bob-0123456789'))).status, 429)
  const op = as('op-01234567890')
  assert.is((await gateway.send(CHAT, '{', op)).status, 400)
  upstream.script({ text: 'a bird', usage: { input: 10, output: 5 } })
  await gateway.post(CHAT, asking('hello'), op)
  assert.equal(
    (await lines(4)).map(({ status, principal, provider, attempts, final_layer }) => [
      status,
      principal,
      provider,
      attempts.length,
      final_layer,
    ]),
    [
      [429, 'ann', null, 0, 'l0'],
      [429, 'bob', null, 0, 'l0'],
      [400, 'op', null, 0, 'l0'],
      [200, 'op', 'openai', 1, 'l3'],
    ],
  )
  assert.is(upstream.calls.length, 1)
  const { json } = await gateway.get('/debug/usage', op)
  assert.is(json.total_requests, 4)
  assert.equal(json.entries.map(({ provider }: { provider: string }) => provider).sort(), ['none', 'none', 'openai'])
  assert.is((await gateway.get('/debug/stats/prompts', op)).json.total_prompts, 4)
  await gateway.close()
})

test('the ledger holds no prompt, no answer and no key', async () => {
  const folder = tempFolder('usage')
  const gateway = await startGateway({
    upstream,
    settings: {
      SERVICE__USAGE_LOG_PATH: folder,
      SERVICE__GATEWAY_API_KEY: 'canary-gateway-key',
      SERVICE__EXTERNAL_LLM_API_KEY: 'canary-vendor-key',
    },
  })
  upstream.script({ text: 'canary answer' }, { status: 400 })
  const key = { authorization: 'Bearer canary-gateway-key' }
  await gateway.post(CHAT, asking('canary prompt'), key)
  await gateway.post(CHAT, asking('canary prompt'), key)
  await gateway.post(CHAT, asking('canary refused'), key)
  await gateway.close()
  const text = readFileSync(join(folder, 'usage.jsonl'), 'utf8')
  assert.is(text.trim().split('\n').length, 3)
  assert.not.match(text, /canary/)
})

const FAILED_RESPONSE = {
  object: 'response',
  status: 'failed',
  output: [],
  usage: { input_tokens: 1000, output_tokens: 300, total_tokens: 1300 },
}
const failedEvents = (...between: readonly object[]) =>
  sse(
    { type: 'response.created', response: { id: 'resp_1', model: 'm', created_at: 1, status: 'in_progress' } },
    ...between,
    { type: 'response.failed', response: { ...FAILED_RESPONSE, error: { code: 'server_error', message: 'no' } } },
  )
const SAID = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a heron is' }
const TOLD_TOTAL = { usage: { total_tokens: 500 } }

/** Vendor, what it sends, is it asked for a stream, and the tokens that it says each attempt took. */
const PAID_FAILURES: readonly (readonly [
  what: string,
  vendor: string,
  script: Reply,
  stream: boolean,
  tokens: number,
])[] = [
  [
    'a response that failed',
    'openai-responses',
    { json: { ...FAILED_RESPONSE, error: { code: 'server_error' } } },
    false,
    1300,
  ],
  ['one that does not say why', 'openai-responses', { json: { ...FAILED_RESPONSE, error: null } }, false, 1300],
  ['a stream of nothing that failed', 'openai-responses', failedEvents(), true, 1300],
  ['a stream that failed behind its words', 'openai-responses', failedEvents(SAID), true, 1300],
  ['an answer without a choice', 'openai', { json: { choices: [], ...TOLD_TOTAL } }, false, 500],
  ['an error under a status of success', 'openai', { json: { error: { message: 'no' }, ...TOLD_TOTAL } }, false, 500],
  ['a choice that broke off', 'openai', { json: { choices: [{ finish_reason: 'error' }], ...TOLD_TOTAL } }, false, 500],
  ['an error status', 'openai', { status: 500, json: { error: { message: 'no' }, ...TOLD_TOTAL } }, false, 500],
  [
    'a call that came to nothing',
    'gemini',
    {
      json: {
        candidates: [{ content: { parts: [] }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
        usageMetadata: { promptTokenCount: 400, thoughtsTokenCount: 100, totalTokenCount: 500 },
      },
    },
    false,
    500,
  ],
]

for (const [what, vendor, script, stream, tokens] of PAID_FAILURES)
  test(`${what} is booked and counted as its vendor says it was used`, async () => {
    upstream.script(() => script)
    const { gateway, lines } = await withLedger(vendor, {
      SERVICE__STREAM_RESUME: 'off',
      SERVICE__L3_TIMEOUT_SECS: '2',
      SERVICE__QUOTA: JSON.stringify({ [vendor]: { daily_token_limit: 1_000_000 } }),
    })
    await gateway.send(CHAT, JSON.stringify({ model: 'gpt-5.4-mini', messages, stream }))
    const [event] = await lines(1)
    const attempts = event?.attempts ?? []
    assert.ok(attempts.length > 0)
    for (const { usage } of attempts) assert.equal([usage.total_tokens, usage.estimated], [tokens, false])
    const used = (): number | undefined => gateway.gateway.offers(quotaStatus).get('quota')?.()[0]?.windows[0]?.used
    await until('it is counted', () => used() === tokens * attempts.length)
    await gateway.close()
  })

test('a window that is no number of hours is refused', async () => {
  const { gateway } = await withLedger('openai')
  for (const hours of ['0', '-1', 'x', '1.5'])
    assert.is((await gateway.get(`/debug/usage?hours=${hours}`)).status, 400, hours)
  assert.is((await gateway.get('/api/admin/usage/breakdown?by=weather')).status, 400)
  assert.is((await gateway.get('/api/admin/usage/timeline?by=weather')).status, 400)
  assert.is((await gateway.get('/api/admin/usage/timeline?step=5')).status, 400)
  for (const [hours, step] of [
    [24, 1],
    [168, 3],
    [720, 12],
  ])
    assert.is((await gateway.get(`/api/admin/usage/timeline?hours=${hours}`)).json.step_hours, step)
  await gateway.close()
})

test.run()
