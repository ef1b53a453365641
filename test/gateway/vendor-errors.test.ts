import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../core/clock.ts'
import type { Clock, Log } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What a client learns of a vendor's failure (D34). */

const upstream = await startUpstream()
test.before.each(() => upstream.clear())
test.after(() => upstream.close())

/** Nothing waits between attempts. */
const clock: Clock = { ...systemClock, random: () => 0 }
const settings = { SERVICE__KEY_COOLDOWN_SECS: '0' }
const gateways = {
  'chat-completions': await startGateway({ upstream, clock, settings }),
  messages: await startGateway({ upstream, clock, settings, provider: 'anthropic' }),
}
const dialects = {
  'chat-completions': {
    path: '/v1/chat/completions',
    error: (type: string, code: string | null, message: string) => ({ error: { message, type, param: null, code } }),
  },
  messages: {
    path: '/v1/messages',
    error: (type: string, _: string | null, message: string) => ({
      type: 'error',
      error: { type, message },
      request_id: 'req_vendor',
    }),
  },
}
type Name = keyof typeof dialects
const names = Object.keys(dialects) as Name[]

let n = 0
const body = (stream = false) => ({
  model: 'm',
  max_tokens: 9,
  stream,
  messages: [{ role: 'user', content: `question ${n++}` }],
})

/**
 * What the vendor says (status, type, code); what a client is told (status, then type and code in chat-completions, type in
 * messages), and may it try again?
 */
// biome-ignore format: a table
const failures = [
  ['overloaded', 529, 'overloaded_error', 'overloaded', 502, 'overloaded_error', 'overloaded', 'overloaded_error', true],
  ['broken', 500, 'api_error', 'internal', 502, 'server_error', 'upstream_failed', 'api_error', true],
  ['our key is wrong', 401, 'authentication_error', 'invalid_api_key', 502, 'authentication_error', 'invalid_api_key', 'authentication_error', false],
  ['our key may not', 403, 'permission_error', 'permission_denied', 502, 'permission_error', 'permission_denied', 'permission_error', false],
  ['out of credit', 402, 'billing_error', 'insufficient_quota', 429, 'insufficient_quota', 'insufficient_quota', 'billing_error', false],
  ['too many requests', 429, 'rate_limit_error', 'rate_limit_exceeded', 429, 'rate_limit_error', 'rate_limit_exceeded', 'rate_limit_error', true],
  ['the prompt is too long', 400, 'invalid_request_error', 'context_length_exceeded', 400, 'invalid_request_error', 'context_length_exceeded', 'invalid_request_error', false],
  ['no such model', 404, 'not_found_error', 'model_not_found', 404, 'invalid_request_error', 'model_not_found', 'not_found_error', false],
  ['a field is wrong', 422, 'invalid_request_error', 'odd_value', 422, 'invalid_request_error', null, 'invalid_request_error', false],
] as const

for (const [name, status, type, code, told, chatType, chatCode, messagesType, again] of failures) {
  for (const vendor of names) {
    for (const client of names) {
      test(`${name}: a vendor of ${vendor} tells a client of ${client}`, async () => {
        // The messages format has no codes; there the type has to say it.
        const known = vendor === 'chat-completions' || code !== 'context_length_exceeded'
        const words = dialects[vendor].error(type, code, 'words of the vendor')
        upstream.script(() => ({ status, json: words, headers: { 'x-ratelimit-remaining-requests': '7' } }))
        for (const stream of [false, true]) {
          const { path } = dialects[client]
          const reply = await gateways[vendor].post(path, body(stream))
          assert.is(reply.status, told)
          assert.is(reply.headers.get('x-should-retry'), again ? null : 'false')
          assert.is(reply.headers.get('x-ratelimit-remaining-requests'), '7')
          assert.ok(reply.headers.get('x-request-id') && reply.headers.get('request-id'), 'every error has an id')
          const { error } = reply.json
          if (status === 401) {
            assert.match(error.message, 'refused the key that the gateway sent, status 401')
            assert.not.match(error.message, 'words of the vendor')
          }
          if (vendor === client && status !== 401) assert.equal(reply.json, words)
          else if (client === 'messages') assert.is(error.type, messagesType)
          else assert.equal([error.type, error.code], known ? [chatType, chatCode] : ['invalid_request_error', null])
        }
      })
    }
  }
}

const long = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
/** Vendors that refuse a prompt as too long, each with the path of its own dialect and its own words. */
const tooLong = {
  anthropic: {
    own: '/v1/messages',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
  },
  gemini: { own: '/v1beta/models/m:generateContent', error: { code: 400, message: long, status: 'INVALID_ARGUMENT' } },
  openai: {
    own: '/v1/chat/completions',
    error: { message: 'room for 8 tokens', type: 'exceed_context_size_error', code: 400 },
  },
}

for (const [provider, { own, error: words }] of Object.entries(tooLong)) {
  test(`a prompt too long for ${provider} is that in every dialect, and the next with a larger window is asked (D34)`, async () => {
    const second = await startUpstream()
    const alone = await startGateway({ upstream, clock, provider })
    const entry = { provider: 'groq', url: second.url, api_key: 'k', model: 'm' }
    const fallbacks = [entry, { ...entry, provider: 'mistral', larger_context: true }]
    const more = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallbacks) }
    const chained = await startGateway({ upstream, clock, provider, settings: more })
    upstream.script(() => ({ status: 400, json: { error: words } }))
    const openai = ['invalid_request_error', 'context_length_exceeded']
    const contents = [{ role: 'user', parts: [{ text: `question ${n++}` }] }]
    for (const [path, asked, told] of [
      ['/v1/chat/completions', body(), openai],
      ['/v1/responses', { model: 'm', input: `question ${n++}` }, openai],
      ['/v1/messages', body(), ['invalid_request_error', undefined]],
      ['/v1beta/models/m:generateContent', { contents }, [undefined, 400]],
    ] as const) {
      const { status, json } = await alone.post(path, asked)
      assert.is(status, 400, path)
      const { type, code, message } = json.error
      if (path === own) assert.equal(json.error, { ...json.error, ...words })
      else assert.equal([type, code], told, path)
      if (path === '/v1/messages') assert.ok(message.startsWith('prompt is too long'), message)
      const answered = await chained.post(path, asked)
      assert.equal([answered.status, answered.headers.get('x-service-provider')], [200, 'mistral'], path)
    }
    await Promise.all([alone.close(), chained.close(), second.close()])
  })
}

test('the details of an error pass within a dialect, its other members and every key do not', async () => {
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'], hint: 'use sk-abcdefghijkl' }
  upstream.script({
    status: 400,
    json: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'no threads\nfor test-key', details, stack: 'secret' },
      request_id: 'req_1',
      internal: 'secret',
    },
    headers: { 'request-id': 'req_1' },
  })
  const { json, headers } = await gateways.messages.post('/v1/messages', body())
  assert.equal(json, {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'no threads\nfor ***',
      details: { ...details, hint: 'use ***' },
    },
    request_id: 'req_1',
  })
  assert.is(headers.get('request-id'), 'req_1')
})

test('the field and the code of an error pass within a dialect', async () => {
  const error = { message: 'no', type: 'invalid_request_error', param: 'tools[0].type', code: 'unsupported_value' }
  upstream.script({ status: 400, json: { error } })
  const { json } = await gateways['chat-completions'].post('/v1/chat/completions', body())
  assert.equal(json, { error })
})

for (const vendor of names) {
  for (const client of names) {
    test(`a vendor of ${vendor} breaks off overloaded in the stream of a client of ${client}`, async () => {
      const json = dialects[vendor].error('overloaded_error', 'overloaded', 'Overloaded')
      const data = `data: ${JSON.stringify(json)}\n\n`
      const begun = {
        'chat-completions': 'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\n\n',
        messages:
          'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"m","usage":{}}}\n\n' +
          'event: content_block_start\n' +
          'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}\n\n',
      }
      upstream.script(() => ({ sse: [begun[vendor], vendor === 'messages' ? `event: error\n${data}` : data] }))
      const { text } = await gateways[vendor].send(dialects[client].path, JSON.stringify(body(true)))
      const last = JSON.parse(/data: (.*)\n\n$/.exec(text)?.[1] ?? '')
      assert.is(last.error.type, 'overloaded_error')
      assert.is(/^event: error$/m.test(text), client === 'messages')
      assert.not.match(text, '[DONE]')
      assert.not.match(text, 'message_stop')
      if (vendor === client) assert.equal(last, json)
    })
  }
}

for (const [name, event] of [
  ['an error event', { type: 'error', code: 'server_error', message: 'boom for test-key', param: 'input' }],
  [
    'a response that failed',
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'boom for test-key' } } },
  ],
] as const)
  test(`D34: a vendor of responses breaks off with ${name}, and its client reads its words`, async () => {
    const gateway = await startGateway({ upstream, clock, settings, provider: 'openai-responses' })
    const begun = [
      { type: 'response.created', response: { id: 'r', model: 'm', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hel' },
    ]
    upstream.script(() => ({
      sse: [...begun, event].map(one => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`),
    }))
    const { text } = await gateway.send('/v1/responses', JSON.stringify({ model: 'm', stream: true, input: name }))
    const [told, failed] = [...text.matchAll(/^data: (.*)$/gm)].slice(-2).map(([, data = '']) => JSON.parse(data))
    const said = { code: 'server_error', message: 'boom for ***' }
    assert.equal([told.code, told.message], [said.code, said.message])
    assert.equal([told.error.code, told.error.message], [said.code, said.message])
    assert.is(told.param, 'param' in event ? 'input' : null)
    assert.equal(failed.response.error, said)
    await gateway.close()
  })

test('of several vendors the class of one that may come back is told, and nobody else’s words', async () => {
  const second = await startUpstream()
  const fallback = [{ provider: 'groq', url: second.url, api_key: 'k', model: 'm' }]
  const chained = await startGateway({
    upstream,
    clock,
    settings: { ...settings, SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
  })
  upstream.script(() => ({ status: 529, headers: { 'x-request-id': 'first' } }))
  second.script(() => ({ status: 401, headers: { 'x-request-id': 'second' } }))
  const { json, status, headers } = await chained.post('/v1/messages', body())
  assert.is(status, 502)
  assert.is(json.error.type, 'overloaded_error')
  assert.match(json.error.message, 'status 529')
  assert.is(headers.get('x-should-retry'), null)
  assert.is(headers.get('x-request-id'), headers.get('x-service-request-id'))
  upstream.clear()
  upstream.script(() => ({ status: 401 }))
  const lasting = await chained.post('/v1/messages', body())
  assert.is(lasting.json.error.type, 'authentication_error')
  assert.is(lasting.headers.get('x-should-retry'), 'false')
})

test('ids stand on every reply: the vendor’s on a miss, ours on a hit and on our own refusals', async () => {
  const asked = body()
  upstream.script({ text: 'hello', headers: { 'x-request-id': 'req_vendor', 'x-ratelimit-limit-tokens': '9' } })
  const gateway = gateways['chat-completions']
  const miss = await gateway.post('/v1/chat/completions', asked)
  assert.is(miss.headers.get('x-request-id'), 'req_vendor')
  assert.is(miss.headers.get('x-ratelimit-limit-tokens'), '9')
  const hit = await gateway.post('/v1/chat/completions', asked)
  const own = hit.headers.get('x-service-request-id')
  assert.is(hit.headers.get('x-service-layer'), 'l1a')
  assert.is(hit.headers.get('x-request-id'), own)
  assert.is(hit.headers.get('request-id'), own)
  assert.is(hit.headers.get('x-ratelimit-limit-tokens'), null)
  const refused = await gateway.post('/v1/messages', {})
  assert.is(refused.status, 400)
  assert.is(refused.headers.get('request-id'), refused.json.request_id)
})

test('that every account is out of credit is told of every request, also while the keys rest', async () => {
  const second = await startUpstream()
  const fallback = [{ provider: 'anthropic', url: second.url, api_key: 'k', model: 'm' }]
  const chained = await startGateway({ upstream, settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) } })
  upstream.script(() => ({ status: 402 }))
  second.script(() => ({ status: 402, headers: { 'retry-after': '60' } }))
  for (let request = 0; request < 2; request++) {
    const { status, headers, json } = await chained.post('/v1/chat/completions', body())
    assert.equal([status, json.error.code], [429, 'insufficient_quota'])
    assert.equal([headers.get('x-should-retry'), headers.get('retry-after')], ['false', null])
  }
  assert.equal([upstream.calls.length, second.calls.length], [1, 1])
})

test('a request that cannot be read is refused at the door, whichever layer reads it first', async () => {
  const gateway = await startGateway({ upstream, settings: { SERVICE__CACHE_MODE: 'both' } })
  const { status, headers } = await gateway.post('/v1/chat/completions', { ...body(), seed: '123' })
  assert.equal([status, headers.get('x-service-layer')], [400, 'l0'])
  await gateway.close()
})

test('a failure under a status of success is what its code says', async () => {
  for (const [code, told, calls] of [
    ['rate_limit_exceeded', 'rate_limit_exceeded', 1],
    ['insufficient_quota', 'insufficient_quota', 1],
    ['something_else', 'upstream_failed', 3],
  ] as const) {
    upstream.clear()
    const gateway = await startGateway({ upstream, clock })
    upstream.script(() => ({ status: 200, json: { error: { message: 'no', type: 'an_error', code } } }))
    const { json } = await gateway.post('/v1/messages', body())
    assert.is(json.type, 'error')
    const chat = code === 'something_else' ? undefined : await gateway.post('/v1/chat/completions', body())
    if (chat) assert.equal([chat.status, chat.json.error.code], [429, told])
    assert.is(upstream.calls.length, calls)
    await gateway.close()
  }
})

test("a refusal under a status of success is the client's, in every dialect and after one call (D30, D34)", async () => {
  for (const code of ['context_length_exceeded', 400])
    for (const stream of [false, true])
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        upstream.clear()
        upstream.script(() => ({ status: 200, json: { error: { message: 'bad temp', type: 'odd', code } } }))
        const { status, json } = await gateways['chat-completions'].post(path, body(stream))
        assert.equal([status, upstream.calls.length], [400, 1])
        assert.match(json.error.message, 'bad temp')
      }
})

test('the log says which key a vendor refused or held back, by its label, and never the key', async () => {
  for (const [status, reason] of [
    [401, 'credential'],
    [429, 'rate_limited'],
  ] as const) {
    const warned: object[] = []
    const log: Log = {
      debug() {},
      info() {},
      error() {},
      warn: (message, fields) => warned.push({ message, ...fields }),
    }
    const keys = [{ key: 'sk-secret-one', label: 'team-a' }, { key: 'sk-secret-two' }]
    const pooled = await startGateway({
      upstream,
      clock,
      log,
      settings: { ...settings, SERVICE__EXTERNAL_LLM_API_KEY: '', SERVICE__PROVIDER_KEYS: JSON.stringify(keys) },
    })
    upstream.clear()
    upstream.script(() => ({ status, headers: { 'retry-after': '3600' } }))
    const { json } = await pooled.post('/v1/chat/completions', body())
    const first = { message: 'an attempt failed', provider: 'openai', reason, status }
    assert.equal(
      warned.map(({ request: _, ...rest }: { request?: unknown }) => rest),
      [{ ...first, key: 'team-a' }, first],
    )
    assert.not.match(JSON.stringify([warned, json]), 'secret')
    await pooled.close()
  }
})

test('a key that is wrong by the details of a 400 is ours to mend, and the next vendor is asked', async () => {
  const second = await startUpstream()
  const fallback = [{ provider: 'groq', url: second.url, api_key: 'k', model: 'm' }]
  const chained = await startGateway({
    upstream,
    provider: 'gemini',
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) },
  })
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
  const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details }
  upstream.script({ status: 400, json: { error } })
  const { status, headers } = await chained.post('/v1/chat/completions', body())
  assert.equal([status, headers.get('x-service-provider')], [200, 'groq'])
})

test.run()
