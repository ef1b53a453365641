import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock } from '../../core/host.ts'
import { DEFAULT_PIPELINE, startGateway, type TestGateway } from '../support/gateway.ts'
import { type ContentEvent, checkContentList, checkContentStream } from '../support/grammar/generate-content.ts'
import { tempFolder } from '../support/opened.ts'
import { type Reply, startUpstream, type Upstream } from '../support/upstream.ts'

/** The surface for Gemini's clients as a whole: a gateway before a vendor of its own format, or of another. */

const body = (text: string, more: object = {}) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more })
const MODEL = '/v1beta/models/gemini-3-pro'

/** Nothing waits between attempts. */
const clock: Clock = { ...systemClock, random: () => 0 }

interface Place {
  readonly gateway: TestGateway
  readonly upstream: Upstream
}

async function before(
  provider: string,
  run: (place: Place) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider, settings, clock })
  try {
    await run({ gateway, upstream })
  } finally {
    await gateway.close()
    await upstream.close()
  }
}

const wordsOf = (events: readonly ContentEvent[]): string =>
  events
    .flatMap(event => event.candidates[0].content.parts)
    .filter(part => typeof part.text === 'string' && !part.thought)
    .map(part => part.text)
    .join('')

const SAID: Reply = { text: 'Zwölf 日本 👩‍👩‍👧 boxers', reasoning: 'hm' }

for (const provider of ['gemini', 'openai', 'anthropic']) {
  test(`whole, event stream and list of one prompt share one answer (vendor: ${provider}, D28, D49)`, () =>
    before(provider, async ({ gateway, upstream }) => {
      const ask = (method: string, said: string) => gateway.send(`${MODEL}:${method}`, JSON.stringify(body(said)))
      const forms = ['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent']
      for (const [round, first] of forms.entries()) {
        upstream.clear()
        upstream.script(SAID)
        const asked = `question ${round}`
        const replies = [await ask(first, asked)]
        for (const method of forms) replies.push(await ask(method, asked))
        assert.equal(
          replies.map(({ headers }) => headers.get('x-service-layer')),
          ['l3', 'l1a', 'l1a', 'l1a'],
          first,
        )
        assert.is(upstream.calls.length, 1)
        const [, whole, events, list] = replies
        const answer = JSON.parse(whole?.text ?? '')
        assert.is(wordsOf([answer]), SAID.text)
        assert.is(wordsOf(checkContentStream(events?.text ?? '')), SAID.text)
        assert.is(wordsOf(checkContentList(list?.text ?? '')), SAID.text)
        assert.match(events?.headers.get('content-type') ?? '', 'text/event-stream')
        assert.match(list?.headers.get('content-type') ?? '', 'application/json')
        assert.is(answer.usageMetadata.totalTokenCount, 12)
        assert.is(answer.modelVersion, 'gemini-3-pro')
      }
    }))

  test(`a stream that breaks off is told so, and never ends as if it were whole (vendor: ${provider})`, () =>
    before(provider, async ({ gateway, upstream }) => {
      const long = 'one two three four five six seven eight'
      for (const method of ['streamGenerateContent?alt=sse', 'streamGenerateContent']) {
        upstream.clear()
        upstream.script(() => ({ text: long, dieAfter: 4 }))
        const { text } = await gateway.send(`${MODEL}:${method}`, JSON.stringify(body(`break ${method}`)))
        const events = method.endsWith('sse')
          ? text.split('\n\n').flatMap(frame => (frame.trim() ? [JSON.parse(frame.replace('data: ', ''))] : []))
          : JSON.parse(text)
        assert.is(events.at(-1).error.status, 'UNAVAILABLE')
        assert.not.match(text, 'finishReason')
        upstream.clear()
        await gateway.send(`${MODEL}:${method}`, JSON.stringify(body(`break ${method}`)))
        assert.is(upstream.calls.length, 1, 'nothing of it was kept')
      }
    }))
}

for (const provider of ['openai', 'anthropic']) {
  test(`all that was said before a stream broke off reaches its client (vendor: ${provider})`, () =>
    before(provider, async ({ gateway, upstream }) => {
      for (const [fault, reply] of Object.entries(breaks(provider))) {
        for (const method of ['streamGenerateContent?alt=sse', 'streamGenerateContent']) {
          upstream.clear()
          upstream.script(() => reply)
          const { text } = await gateway.send(`${MODEL}:${method}`, JSON.stringify(body(`${fault} ${method}`)))
          const events = method.endsWith('sse')
            ? text.split('\n\n').flatMap(frame => (frame.trim() ? [JSON.parse(frame.replace('data: ', ''))] : []))
            : JSON.parse(text)
          assert.ok(events.at(-1).error, fault)
          assert.is(wordsOf(events.slice(0, -1)), 'abc👩', fault)
          assert.not.match(text, 'finishReason')
        }
      }
    }))
}

/** The beginning of an answer, and the ways in which the rest does not come. */
function breaks(provider: string): Readonly<Record<string, Reply>> {
  const event = (data: object) => `${'type' in data ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`
  const error = { type: 'error', error: { type: 'api_error', message: 'broken' } }
  const begun =
    provider === 'openai'
      ? [event({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'abc👩' } }] })]
      : [
          event({ type: 'message_start', message: { id: 'c', model: 'm' } }),
          event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
          event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'abc👩' } }),
        ]
  return {
    end: { sse: begun },
    reset: { sse: begun, dieAfter: begun.length },
    error: { sse: [...begun, event(error)] },
  }
}

test("a client's bytes reach its own vendor, and the vendor's come back", () =>
  before('gemini', async ({ gateway, upstream }) => {
    const asked = `{ "generationConfig":{"temperature":1.0}, "novelty" : [12345678901234567890],"contents":[{"parts":{"text":"é"}}]}`
    const json = '{"candidates" : [ {"content":{"parts":[{"text":"ü"}]},"finishReason":"STOP","new":1.0} ],"x":2}'
    upstream.script({ raw: json })
    const reply = await gateway.send(`${MODEL}:generateContent?key=client-key&prettyPrint=false`, asked, {
      'x-goog-api-key': 'client-key',
    })
    assert.is(reply.text, json)
    const [call] = upstream.calls
    assert.is(call?.raw.toString(), asked)
    assert.is(call?.path, '/v1/models/gemini-3-pro:generateContent', 'no query of the client goes along')
    assert.is(call?.headers['x-goog-api-key'], 'test-key')
    assert.not.match(JSON.stringify(call?.headers), 'client-key')
  }))

test('the gateway key is taken where these clients put it, and nowhere else (D22)', () =>
  before(
    'gemini',
    async ({ gateway, upstream }) => {
      const ask = (query: string, headers: Record<string, string>, path = MODEL) =>
        gateway.send(`${path}:generateContent${query}`, JSON.stringify(body('key?')), headers)
      const ways: [string, Record<string, string>][] = [
        ['', { 'x-goog-api-key': 'secret' }],
        ['?key=secret', {}],
        ['', { 'x-api-key': 'secret' }],
        ['', { authorization: 'Bearer secret' }],
        ['', { 'x-goog-api-key': 'secret', 'x-api-key': 'other' }],
        ['?key=secret', { 'x-goog-api-key': "the vendor's" }],
        ['?key=wrong', { 'x-goog-api-key': 'wrong', 'x-api-key': 'secret' }],
      ]
      for (const [query, headers] of ways) {
        assert.is((await ask(query, headers)).status, 200, JSON.stringify([query, headers]))
        assert.is((await ask(query, headers, '/v1/models/gemini-3-pro')).status, 200)
      }
      for (const [query, headers] of [
        ['', {}],
        ['?key=wrong', {}],
        ['', { 'x-goog-api-key': 'wrong' }],
      ] as [string, Record<string, string>][]) {
        const { status, text } = await ask(query, headers)
        assert.is(status, 401)
        assert.is(JSON.parse(text).error.status, 'UNAUTHENTICATED')
      }
      const counted = await gateway.send(`${MODEL}:countTokens?key=wrong`, JSON.stringify(body('x')))
      assert.is(counted.status, 401)
      for (const { path, headers } of upstream.calls) assert.not.match(path + JSON.stringify(headers), 'secret')
      const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
      const other = await gateway.post('/v1/chat/completions?key=secret', chat, { 'x-goog-api-key': 'secret' })
      assert.is(other.status, 401, 'these are no places for other clients')
    },
    { SERVICE__GATEWAY_API_KEY: 'secret' },
  ))

test('a colon in the path may be escaped, and the version doubled', () =>
  before('gemini', async ({ gateway, upstream }) => {
    for (const path of [
      '/v1beta/models/m%3AgenerateContent',
      '/v1beta/models/m%3agenerateContent',
      '/v1beta/v1beta/models/m:generateContent',
    ])
      assert.is((await gateway.post(path, body(path))).status, 200, path)
    assert.is(upstream.calls.length, 3)
    const lost = await gateway.post('/v1beta/models/m:predict', body('x'))
    assert.is(lost.status, 404)
    assert.is(lost.json.error.status, 'NOT_FOUND')
    const nowhere = await gateway.post('/v1beta/nowhere', {})
    assert.is(nowhere.json.error.status, 'NOT_FOUND')
    assert.match(nowhere.json.error.message, 'POST /v1beta/models/{model}:generateContent')
  }))

test('a slash at the end of the path changes neither model, method nor stream', () =>
  before('gemini', async ({ gateway, upstream }) => {
    for (const version of ['/v1beta', '/v1'])
      for (const end of ['/', '//']) {
        upstream.clear()
        const asked = (model: string, method: string, more = '') =>
          gateway.send(`${version}/models/${model}:${method}${end}${more}`, JSON.stringify(body(version + end)))
        const replies = [await asked('one', 'generateContent'), await asked('two', 'generateContent')]
        assert.equal(
          replies.map(({ headers }) => headers.get('x-service-layer')),
          ['l3', 'l3'],
        )
        await asked('three', 'streamGenerateContent', '?alt=sse')
        upstream.script({ json: { totalTokens: 3 } })
        assert.is((await asked('four', 'countTokens')).text, '{"totalTokens":3}')
        const called = ['one:generateContent', 'two:generateContent', 'three:streamGenerateContent', 'four:countTokens']
        assert.equal(
          upstream.calls.map(({ path }) => path.replace(/\?.*/, '')),
          called.map(each => `/v1/models/${each}`),
        )
      }
  }))

test('a path that names no model asks no vendor', () =>
  before('gemini', async ({ gateway, upstream }) => {
    for (const path of ['/v1beta/MODELS/m:generateContent', '/v1beta/models/models%2F:generateContent']) {
      const { status, json } = await gateway.post(path, body('x'))
      assert.equal([status, json.error.status], [404, 'NOT_FOUND'], path)
    }
    assert.is(upstream.calls.length, 0)
  }))

test('a silent stream is kept alive by line feeds, which no client takes for an event (D28)', async () => {
  const impatient = join(tempFolder('pipeline'), 'impatient.yaml')
  const shipped = readFileSync(DEFAULT_PIPELINE, 'utf8')
  const waits = 'keep_alive_secs: 0.02\n      head_wait_secs: 0.02\n      '
  writeFileSync(impatient, shipped.replace('max_body_bytes:', `${waits}max_body_bytes:`))
  for (const method of ['streamGenerateContent?alt=sse', 'streamGenerateContent']) {
    const upstream = await startUpstream()
    const gateway = await startGateway({
      upstream,
      provider: 'gemini',
      pipeline: impatient,
    })
    let speak = () => {}
    const spoken = new Promise<void>(resolve => {
      speak = resolve
    })
    upstream.script({ text: 'late', after: spoken })
    const response = await fetch(`${gateway.url}${MODEL}:${method}`, {
      method: 'POST',
      body: JSON.stringify(body('wait')),
    })
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!/\n\n\n$|^\n$/.test(text)) text += decoder.decode((await reader?.read())?.value)
    speak()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += decoder.decode(part.value)
    const events = method.endsWith('sse') ? checkContentStream(text) : checkContentList(text)
    assert.is(wordsOf(events), 'late')
    await gateway.close()
    await upstream.close()
  }
})

test('a vendor of the format counts for itself, all others are estimated and labelled', async () => {
  const whole = { generateContentRequest: { model: 'models/gemini-3-pro', ...body('Why is the sky blue?') } }
  await before('gemini', async ({ gateway, upstream }) => {
    upstream.script({ json: { totalTokens: 31, promptTokensDetails: [] } })
    const { json, headers } = await gateway.post(`${MODEL}:countTokens`, whole)
    assert.equal(json, { totalTokens: 31, promptTokensDetails: [] })
    assert.is(headers.get('x-service-estimate'), null)
    assert.is(upstream.calls[0]?.path, '/v1/models/gemini-3-pro:countTokens')
    assert.equal(upstream.calls[0]?.body, whole)
  })
  await before('openai', async ({ gateway, upstream }) => {
    for (const asked of [whole, body('Why is the sky blue?')]) {
      const { json, headers } = await gateway.post(`${MODEL}:countTokens`, asked)
      assert.ok(json.totalTokens > 5 && json.totalTokens < 30, String(json.totalTokens))
      assert.is(headers.get('x-service-estimate'), 'true')
    }
    assert.is(upstream.calls.length, 0)
  })
})

test('vectors come from a vendor of the format, and from no other', async () => {
  const content = { content: { parts: [{ text: 'x' }] } }
  await before('gemini', async ({ gateway, upstream }) => {
    upstream.script({ json: { embedding: { values: [1, 2] } } }, { json: { embeddings: [{ values: [1] }] } })
    const one = await gateway.post('/v1beta/models/embedder:embedContent', { model: 'models/embedder', ...content })
    assert.equal(one.json, { embedding: { values: [1, 2] } })
    const requests = [{ model: 'models/embedder', ...content }]
    const many = await gateway.post('/v1beta/models/embedder:batchEmbedContents', { requests })
    assert.equal(many.json, { embeddings: [{ values: [1] }] })
    assert.equal(
      upstream.calls.map(({ path, body: sent }) => [path, sent]),
      [
        ['/v1/models/embedder:embedContent', { model: 'models/embedder', ...content }],
        ['/v1/models/embedder:batchEmbedContents', { requests }],
      ],
    )
  })
  await before('openai', async ({ gateway, upstream }) => {
    const { status, json } = await gateway.post('/v1beta/models/embedder:embedContent', content)
    assert.equal([status, json.error.status], [501, 'UNIMPLEMENTED'])
    assert.is(upstream.calls.length, 0)
  })
})

test('an alias stands for its model in the path, and in what names it again', () =>
  before(
    'gemini',
    async ({ gateway, upstream }) => {
      await gateway.post('/v1beta/models/fast:generateContent', body('x'))
      upstream.script({ json: { totalTokens: 1 } })
      const meant = { generateContentRequest: { model: 'models/fast', ...body('x') } }
      await gateway.post('/v1beta/models/fast:countTokens', meant)
      assert.is(upstream.calls[0]?.path, '/v1/models/gemini-real:generateContent')
      assert.is(upstream.calls[1]?.path, '/v1/models/gemini-real:countTokens')
      assert.match(upstream.calls[1]?.raw.toString() ?? '', '"model":"models/gemini-real"')
    },
    { SERVICE__MODEL_ALIASES: '{"fast":"gemini-real"}' },
  ))

test('what only its vendor can do is refused by its field before another vendor (D42)', () =>
  before('openai', async ({ gateway, upstream }) => {
    const only: [object, string][] = [
      [{ generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount'],
      [{ generationConfig: { responseModalities: ['IMAGE'] } }, 'generationConfig.responseModalities'],
      [{ tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch'],
      [{ cachedContent: 'cachedContents/a' }, 'cachedContent'],
    ]
    for (const [more, field] of only) {
      const { status, json } = await gateway.post(`${MODEL}:generateContent`, body('x', more))
      assert.is(status, 400, field)
      assert.is(json.error.status, 'INVALID_ARGUMENT')
      const [violation] = json.error.details[0].fieldViolations
      assert.is(violation.field, field)
    }
    assert.is(upstream.calls.length, 0)
    const { status } = await gateway.post(
      `${MODEL}:generateContent`,
      body('x', { generationConfig: { candidateCount: 1 } }),
    )
    assert.is(status, 200, 'one choice is no wish')
  }))

test("a vendor's own state is asked for each time, and never answered from a cache (D33)", () =>
  before('gemini', async ({ gateway, upstream }) => {
    const fileData = { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc', mimeType: 'image/png' }
    for (const asked of [
      body('x', { cachedContent: 'cachedContents/a' }),
      { contents: [{ parts: [{ fileData }, { text: 'what is it?' }] }] },
    ]) {
      upstream.clear()
      for (let time = 0; time < 2; time++)
        assert.is((await gateway.post(`${MODEL}:generateContent`, asked)).headers.get('x-service-layer'), 'l3')
      assert.is(upstream.calls.length, 2)
    }
  }))

test("a fallback's proofs and calls come back in the next turn, and the vendor takes the history (R13, D37)", async () => {
  const [primary, fallback] = [await startUpstream(), await startUpstream()]
  const gateway = await startGateway({
    upstream: primary,
    provider: 'gemini',
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { provider: 'anthropic', model: 'claude-x', api_key: 'k', url: fallback.url },
      ]),
    },
  })
  primary.script({ status: 403 })
  fallback.script({
    reasoning: 'thinking',
    text: 'so',
    toolCalls: [{ id: 'toolu_1', name: 'f', arguments: '{"a":1}' }],
  })
  const tools = [{ functionDeclarations: [{ name: 'f' }] }]
  const first = await gateway.post(`${MODEL}:generateContent`, body('x', { tools }))
  const { content } = first.json.candidates[0]
  assert.is(first.headers.get('x-service-provider'), 'anthropic')
  const result = { functionResponse: { id: 'toolu_1', name: 'f', response: { output: '1' } } }
  const contents = [...body('x').contents, content, { role: 'user', parts: [result] }]
  await gateway.post(`${MODEL}:generateContent`, { contents, tools })
  const sent = primary.calls.at(-1)?.body as { contents: { parts: object[] }[] }
  assert.equal(sent.contents[1]?.parts, [
    { text: 'so' },
    {
      functionCall: { id: 'toolu_1', name: 'f', args: { a: 1 } },
      thoughtSignature: 'skip_thought_signature_validator',
    },
  ])
  primary.script({ status: 403 })
  await gateway.post(`${MODEL}:generateContent`, { contents, tools, safetySettings: [] })
  const sentBack = fallback.calls.at(-1)?.body as { messages: { content: object[] }[] } | undefined
  assert.equal(sentBack?.messages[1]?.content[0], { type: 'thinking', thinking: 'thinking', signature: 'c2lnbmVk' })
  await gateway.close()
})

test("this vendor's signatures come back through clients of other dialects", () =>
  before('gemini', async ({ gateway, upstream }) => {
    upstream.script({ toolCalls: [{ name: 'f', arguments: '{}' }] })
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const question = { role: 'user', content: 'x' }
    const first = await gateway.post('/v1/chat/completions', { model: 'gemini-3-pro', messages: [question], tools })
    const { message } = first.json.choices[0]
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '1' }
    await gateway.post('/v1/chat/completions', { model: 'gemini-3-pro', messages: [question, message, result], tools })
    assert.is(signatureSent(upstream), 'c2lnbmVk')
    upstream.script({ toolCalls: [{ name: 'f', arguments: '{}' }] })
    const asked = { model: 'gemini-3-pro', max_tokens: 99, tools: [{ name: 'f', input_schema: { type: 'object' } }] }
    const { json } = await gateway.post('/v1/messages', { ...asked, messages: [question] })
    const use = json.content.find(({ type }: { type: string }) => type === 'tool_use')
    const results = [{ type: 'tool_result', tool_use_id: use.id, content: '1' }]
    const messages = [question, { role: 'assistant', content: json.content }, { role: 'user', content: results }]
    await gateway.post('/v1/messages', { ...asked, messages })
    assert.is(signatureSent(upstream), 'c2lnbmVk')
  }))

/** Of the call in the history that was sent last. */
function signatureSent({ calls }: Upstream): string | undefined {
  const sent = calls.at(-1)?.body as
    | { contents: { parts: { functionCall?: object; thoughtSignature?: string }[] }[] }
    | undefined
  return sent?.contents[1]?.parts.find(({ functionCall }) => functionCall)?.thoughtSignature
}

test('an error of the vendor keeps its words and details, and a wrong key is ours to mend (D34)', () =>
  before('gemini', async ({ gateway, upstream }) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'x' }] }]
    const error = { code: 400, message: 'Invalid value at x', status: 'INVALID_ARGUMENT', details }
    upstream.script({ status: 400, json: { error } })
    const refused = await gateway.post(`${MODEL}:generateContent`, body('a'))
    assert.equal([refused.status, refused.json], [400, { error }])
    const reason = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    upstream.script({ status: 400, json: { error: { ...error, message: 'API key not valid.', details: reason } } })
    const wrong = await gateway.post(`${MODEL}:generateContent`, body('b'))
    assert.is(wrong.status, 502)
    assert.is(wrong.headers.get('x-should-retry'), 'false')
  }))

for (const finishReason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']) {
  for (const parts of [[], [{ text: 'so' }], [{ functionCall: { name: 'f', args: {} } }]]) {
    test(`${finishReason} with ${JSON.stringify(parts)} is tried again once, then told, and never kept`, () =>
      before('gemini', async ({ gateway, upstream }) => {
        const candidate = { content: { role: 'model', parts }, finishReason, index: 0 }
        const json = { candidates: [candidate], usageMetadata: { promptTokenCount: 1 }, modelVersion: 'm' }
        const sse = [`data: ${JSON.stringify(json)}\n\n`]
        upstream.script(({ path }) => (path.includes('stream') ? { sse } : { json }))
        const asked = JSON.stringify(body('weather?'))
        const said = `${finishReason} ${parts.length}`
        for (const round of [1, 2]) {
          const whole = await gateway.send(`${MODEL}:generateContent`, asked)
          assert.equal([whole.status, whole.text], [200, JSON.stringify(json)], said)
          assert.is(whole.headers.get('x-service-provider'), 'gemini')
          assert.is(upstream.calls.length, 2 * round)
        }
        upstream.clear()
        upstream.script(() => ({ sse }))
        for (const _ of [1, 2]) {
          const streamed = await gateway.send(`${MODEL}:streamGenerateContent?alt=sse`, asked)
          assert.equal([streamed.status, streamed.text], [200, sse.join('')], said)
        }
        // What has begun cannot be tried again.
        assert.is(upstream.calls.length, parts.length > 0 ? 2 : 4)
        for (const stream of [false, true])
          for (const [path, more] of [
            ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
            ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
            ['/v1/responses', { input: 'hi' }],
          ] as const) {
            upstream.clear()
            upstream.script(stream ? () => ({ sse }) : () => ({ json }))
            const { status, text } = await gateway.send(path, JSON.stringify({ model: 'm', stream, ...more }))
            assert.is(status, 502, path)
            assert.match(JSON.parse(text).error.type, path === '/v1/messages' ? 'api_error' : 'server_error')
            assert.is(upstream.calls.length, 2)
          }
      }))
  }
}

test.run()
