import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const gateway = await startGateway({ upstream })
test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })

test('the native surface says layer 1 on a hit', async () => {
  const first = await gateway.post('/api/chat', { prompt: 'native?' })
  const second = await gateway.post('/api/v1/chat', { prompt: 'native?' })
  assert.is(first.json.layer, 3)
  assert.is(second.json.layer, 1)
  assert.is(second.json.message, first.json.message)
  assert.is(second.headers.get('x-service-deflected'), 'true')
  assert.is(upstream.calls.length, 1)
})

test('fifty identical requests at once make one upstream call', async () => {
  upstream.script(() => ({ text: 'one for all', delayMs: 50 }))
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => gateway.post('/v1/chat/completions', chat('fifty?'))),
  )
  assert.is(upstream.calls.length, 1)
  for (const { status, json } of answers) {
    assert.is(status, 200)
    assert.is(json.choices[0].message.content, 'one for all')
  }
  assert.is(new Set(answers.map(({ json }) => json.id)).size, 50, 'each delivery has an id of its own')
})

test('who asks anew gets an answer of its own, also beside equal requests', async () => {
  const told = ['no-store', 'no-cache', 'max-age=0, No-Store']
  let calls = 0
  upstream.script(() => ({ text: `sample ${calls++}`, delayMs: 50 }))
  const headers = [...told, ...told, undefined, undefined].map(said => (said ? { 'cache-control': said } : {}))
  const answers = await Promise.all(
    headers.map(each => gateway.post('/v1/chat/completions', chat('sample?', { temperature: 1 }), each)),
  )
  assert.is(upstream.calls.length, 7, 'those two that say nothing share one call')
  assert.is(new Set(answers.map(({ json }) => json.choices[0].message.content)).size, 7)
})

test('fifty identical streams at once make one upstream call', async () => {
  upstream.script(() => ({ text: 'one for all of us', frameDelayMs: 5 }))
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => gateway.stream('/v1/chat/completions', chat('fifty streams?', { stream: true }))),
  )
  assert.is(upstream.calls.length, 1)
  for (const { text } of answers) assert.match(text, /\[DONE\]\n\n$/)
})

test('a time to live that is negative or no number is refused by name, before any vendor is asked', async () => {
  for (const [path, body, ttl] of [
    ['/v1/chat/completions', chat('for how long?'), 'abc'],
    ['/v1/chat/completions', chat('for how long?'), '-4'],
    ['/v1/messages', { ...chat('for how long?'), max_tokens: 9 }, 'abc'],
  ] as const) {
    const { status, headers, json } = await gateway.post(path, body, { 'x-service-cache-ttl': ttl })
    assert.is(status, 400)
    assert.is(headers.get('x-service-layer'), 'l0')
    assert.match(json.error.message, 'x-service-cache-ttl: must be a whole number of seconds, 0 or more')
  }
  assert.is(upstream.calls.length, 0)
})

test('the same prompt on another surface makes its own call', async () => {
  await gateway.post('/api/chat', { prompt: 'where?', model: 'm' })
  await gateway.post('/v1/chat/completions', chat('where?'))
  await gateway.post('/v1/chat/completions', chat('where?'), { 'x-cursor-checksum': '1' })
  await gateway.post('/v1/chat/completions', chat('where?'), { 'x-kiro-version': '1' })
  await gateway.post('/v1/messages', { ...chat('where?'), max_tokens: 9 })
  assert.is(upstream.calls.length, 5)
})

test('a session sees only its own answers', async () => {
  await gateway.post('/api/chat', { prompt: 'scope?' }, { 'x-service-session-id': 'a' })
  await gateway.post('/api/chat', { prompt: 'scope?' }, { 'x-service-session-id': 'b' })
  await gateway.post('/api/chat', { prompt: 'scope?', session_id: 'a' })
  assert.is(upstream.calls.length, 2)
})

test('a streamed answer serves a client that wants it whole, and the other way round', async () => {
  const streamed = await gateway.stream('/v1/chat/completions', chat('either?', { stream: true }))
  const whole = await gateway.post('/v1/chat/completions', chat('either?'))
  assert.is(whole.headers.get('x-service-layer'), 'l1a')
  assert.ok(streamed.content.length > 0)
  assert.is(whole.json.choices[0].message.content, streamed.content)
  assert.is(upstream.calls.length, 1)
})

test('what was cut short, filtered or empty is asked again', async () => {
  const replies = [
    { finish: 'length', content: 'cut' },
    { finish: 'content_filter', content: 'hm' },
    { finish: 'stop', content: '' },
  ]
  for (const { finish, content } of replies) {
    upstream.clear()
    const json = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    }
    upstream.script({ json }, { json })
    for (let i = 0; i < 2; i++)
      assert.is((await gateway.post('/v1/chat/completions', chat(`stored ${finish}?`))).status, 200)
    assert.is(upstream.calls.length, 2, finish)
  }
})

const choice = (message: object, more: object = {}) => ({
  index: 0,
  message: { role: 'assistant', content: null, ...message },
  finish_reason: 'stop',
  ...more,
})
const completion = (...choices: object[]) => ({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices })
const message = (fields: object) => ({
  id: 'msg_x',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'a' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  ...fields,
})
const custom = { id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }

const startMessages = () => startGateway({ upstream, provider: 'anthropic' })
/** What no canonical form has a place for, and how a stream says it. */
const singular: Readonly<Record<string, readonly [json: object, said: RegExp]>> = {
  'a second choice': [
    completion(choice({ content: 'a' }), choice({ content: 'b' }, { index: 1 })),
    /"index":1,"delta":\{"content":"b"\}/,
  ],
  'log probabilities': [
    completion(choice({ content: 'a' }, { logprobs: { content: [{ token: 'a', logprob: -1 }] } })),
    /"content":\[\{"token":"a","logprob":-1\}\]/,
  ],
  'a free-form call': [
    completion(choice({ tool_calls: [custom] }, { finish_reason: 'tool_calls' })),
    /"custom":\{"input":"x"\}/,
  ],
  'an old call': [
    completion(choice({ function_call: { name: 'f', arguments: '{}' } })),
    /"function_call":\{"name":"f","arguments":"\{\}"\}/,
  ],
  citations: [
    message({ content: [{ type: 'text', text: 'a', citations: [{ type: 'char_location' }] }] }),
    /"citation":\{"type":"char_location"\}/,
  ],
  'a container': [message({ container: { id: 'x' } }), /"container":\{"id":"x"\}/],
}

for (const [what, [json, said]] of Object.entries(singular)) {
  test(`a stored answer with ${what} is served as it stands, whole and as a stream`, async () => {
    const own = 'choices' in json ? undefined : await startMessages()
    const { post, stream } = own ?? gateway
    const path = own ? '/v1/messages' : '/v1/chat/completions'
    const asked = chat(`${what}?`, { max_tokens: 9 })
    upstream.script({ json })
    const body = ({ id, created, ...rest }: Record<string, unknown>) => rest
    try {
      assert.equal(body((await post(path, asked)).json), body({ ...json }))
      const streamed = await stream(path, asked)
      assert.is(streamed.headers.get('x-service-layer'), 'l1a')
      assert.match(streamed.text, said)
      assert.is(upstream.calls.length, 1)
    } finally {
      await own?.close()
    }
  })
}

test('an answer of which one choice was cut short is asked again', async () => {
  const json = completion(choice({ content: 'a' }), choice({ content: 'b' }, { index: 1, finish_reason: 'length' }))
  upstream.script({ json }, { json })
  for (let i = 0; i < 2; i++) await gateway.post('/v1/chat/completions', chat('two?', { n: 2 }))
  assert.is(upstream.calls.length, 2)
})

test('who wants it whole does not depend on a stream that cannot be kept', async () => {
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: null, ...fields }] })}\n\n`
  const first = chunk({ delta: { content: 'live' }, logprobs: { content: [{ token: 'a', logprob: -1 }] } })
  const last = { data: `${chunk({ finish_reason: 'stop' })}data: [DONE]\n\n`, delayMs: 100 }
  upstream.script(call => (call.body?.stream === true ? { sse: [first, last] } : { text: 'whole' }))
  upstream.script(call => (call.body?.stream === true ? { sse: [first, last] } : { text: 'whole' }))
  const streaming = gateway.stream('/v1/chat/completions', chat('both?', { logprobs: true }))
  await upstream.arrived(1)
  const whole = await gateway.post('/v1/chat/completions', chat('both?', { logprobs: true }))
  assert.is(whole.status, 200)
  assert.is(whole.json.choices[0].message.content, 'whole')
  assert.is((await streaming).content, 'live')
})

test('a stream without its terminator is kept where it ended well; one without a finish reason is broken', async () => {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const unended = { sse: [chunk({ content: 'Hi' }, null), chunk({}, 'stop')] }
  upstream.script(unended)
  for (const layer of ['l3', 'l1a']) {
    const { text, content, headers } = await gateway.stream('/v1/chat/completions', chat('unended?'))
    assert.is(content, 'Hi')
    assert.is(headers.get('x-service-layer'), layer)
    assert.ok(text.endsWith('data: [DONE]\n\n'))
  }
  assert.is(upstream.calls.length, 1)
  upstream.clear()
  upstream.script({ sse: [chunk({ content: 'Hi' }, null), 'data: [DONE]\n\n'] })
  const { text } = await gateway.stream('/v1/chat/completions', chat('unfinished?'))
  assert.match(text, '"error"')
  assert.not.match(text, '[DONE]')
})

test('unknown fields reach the vendor untouched, session ids do not', async () => {
  const body =
    '{ "model":"m", "future": {"a":[1,2,9007199254740993]},"session_id":"s1", "messages":[{"role":"user","content":"pass?","x":1}] }'
  await gateway.send('/v1/chat/completions', body)
  const raw = upstream.calls[0]?.raw.toString() ?? ''
  assert.match(raw, '"future": {"a":[1,2,9007199254740993]}')
  assert.match(raw, '"content":"pass?","x":1')
  assert.not.match(raw, 'session_id')
})

test('the cache by hand shares entries with the native surface', async () => {
  assert.is((await gateway.send('/api/v1/cache/lookup', '{"prompt":"by hand?"}')).status, 204)
  assert.equal((await gateway.post('/api/v1/cache/store', { prompt: 'by hand?', response: 'stored' })).json, {
    stored: true,
  })
  const hit = await gateway.post('/api/chat', { prompt: 'by hand?' })
  assert.is(hit.json.message, 'stored')
  assert.is(hit.json.layer, 1)
  const looked = await gateway.post('/api/v1/cache/lookup', { prompt: 'by hand?' })
  assert.is(looked.json.message, 'stored')
  assert.is(upstream.calls.length, 0)
})

test('bad input is refused in the dialect of the client, with the layer headers', async () => {
  const cases = [
    [
      '/api/chat',
      (json: Record<string, unknown>) => typeof json.error === 'string' && typeof json.message === 'string',
    ],
    ['/v1/chat/completions', (json: { error?: { type?: string } }) => json.error?.type === 'invalid_request_error'],
    [
      '/v1/messages',
      (json: { type?: string; error?: { type?: string } }) =>
        json.type === 'error' && json.error?.type === 'invalid_request_error',
    ],
  ] as const
  for (const [path, fits] of cases) {
    for (const body of ['{', '[]', '{}']) {
      const reply = await gateway.send(path, body)
      assert.is(reply.status, 400, `${path} ${body}`)
      assert.ok(fits(JSON.parse(reply.text)), reply.text)
      assert.is(reply.headers.get('x-service-layer'), 'l0')
      assert.is(reply.headers.get('x-service-deflected'), 'false')
      assert.ok(reply.headers.get('x-service-request-id'))
    }
  }
  assert.is(upstream.calls.length, 0)
})

test.run()
