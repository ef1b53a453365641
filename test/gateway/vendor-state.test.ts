import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const KEYS = JSON.stringify([
  { key: 'key-of-ann', label: 'ann', admin: true },
  { key: 'key-of-bob', label: 'bob' },
])
const ann = { 'x-api-key': 'key-of-ann' }
const bob = { 'x-api-key': 'key-of-bob' }

/** Two vendors of the messages format, and two principals that share their answers. */
async function chain(keys = KEYS) {
  const [first, second] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'anthropic', url: second.url, api_key: 'second-key', model: 'claude-second' }]
  const gateway = await startGateway({
    upstream: first,
    provider: 'anthropic',
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback),
      SERVICE__GATEWAY_API_KEYS: keys,
      SERVICE__CACHE_SCOPE: 'global',
    },
  })
  return { first, second, gateway }
}

const user = (content: unknown) => ({ role: 'user', content })
const asked = { model: 'claude-test', max_tokens: 10 }
const create = { ...asked, thread: { type: 'create' }, messages: [user('hello')] }
const proceed = (id: string, messages: readonly object[] = []) => ({
  ...asked,
  thread: { type: 'continue', previous_message_id: id },
  messages,
})

/** The id that the client reads, whole or streamed. */
const idIn = (text: string): string => /"id":"([^"]+)"/.exec(text)?.[1] ?? ''

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'
  const body = (given: object): string => JSON.stringify({ ...given, stream })

  test(`a thread is made anew each time, also by two at once, under the vendor's ids (${how})`, async () => {
    const { first, gateway } = await chain()
    const both = await Promise.all([1, 2].map(() => gateway.send('/v1/messages', body(create), ann)))
    const third = await gateway.send('/v1/messages', body(create), ann)
    const ids = [...both, third].map(({ text }) => idIn(text))
    assert.equal(ids.sort(), ['msg_stub_1', 'msg_stub_2', 'msg_stub_3'])
    assert.is(first.calls.length, 3)
    await gateway.close()
  })

  test(`a thread goes on at the provider that holds it, and at no other (${how})`, async () => {
    const { first, second, gateway } = await chain()
    first.script({ status: 401 })
    const one = await gateway.send('/v1/messages', body(create), ann)
    assert.is(one.headers.get('x-service-provider'), 'anthropic-2')
    const two = await gateway.send('/v1/messages', body(proceed(idIn(one.text))), ann)
    assert.is(two.status, 200, two.text)
    assert.is(two.headers.get('x-service-provider'), 'anthropic-2')
    assert.equal(second.calls.at(-1)?.body?.messages, [])
    const again = await gateway.send('/v1/messages', body(proceed(idIn(two.text), [user('and?')])), ann)
    assert.is(again.headers.get('x-service-provider'), 'anthropic-2')

    second.script({ status: 401 })
    const failed = await gateway.send('/v1/messages', body(proceed(idIn(again.text), [user('now?')])), ann)
    assert.is(failed.status, 502)
    assert.is(first.calls.length, 1)
    await gateway.close()
  })

  test(`nobody else can refer to it, and clients begin a new thread by themselves (${how})`, async () => {
    const { first, second, gateway } = await chain()
    const one = await gateway.send('/v1/messages', body(create), ann)
    const foreign = await gateway.send('/v1/messages', body(proceed(idIn(one.text))), bob)
    assert.is(foreign.status, 404)
    const { error } = JSON.parse(foreign.text)
    assert.is(error.type, 'not_found_error')
    assert.equal(error.details, { error_code: 'thread_not_found' })
    assert.is(first.calls.length + second.calls.length, 1)
    await gateway.close()
  })
}

test('after a restart, an id could be any of several principals: it is 404, and says what to do', async () => {
  const { first, second, gateway } = await chain()
  const reply = await gateway.send('/v1/messages', JSON.stringify(proceed('msg_elsewhere')), ann)
  assert.is(reply.status, 404)
  const { error } = JSON.parse(reply.text)
  assert.is(error.type, 'not_found_error')
  assert.match(error.message, 'exact_cache.provider = redis')
  assert.equal([first.calls.length, second.calls.length], [0, 0])
  await gateway.close()
})

test('an unknown id of the only principal is for the primary to judge, and for no other', async () => {
  const { first, second, gateway } = await chain(JSON.stringify([{ key: 'key-of-ann', label: 'ann' }]))
  first.script({ status: 401 })
  const { status } = await gateway.send('/v1/messages', JSON.stringify(proceed('msg_elsewhere')), ann)
  assert.is(status, 502)
  assert.equal([first.calls.length, second.calls.length], [1, 0])
  await gateway.close()
})

test('a container and the files written in it belong to the provider that made them', async () => {
  const { first, second, gateway } = await chain()
  const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
  const made = { ...asked, tools, messages: [user('draw')] }
  const written = {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 's',
    content: {
      type: 'bash_code_execution_result',
      content: [{ type: 'bash_code_execution_output', file_id: 'file_1' }],
    },
  }
  const answer = { id: 'msg_c', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' }
  const usage = { input_tokens: 1, output_tokens: 1 }
  first.script({ status: 401 })
  second.script({ json: { ...answer, content: [written], container: { id: 'container_1' }, usage } })
  await gateway.post('/v1/messages', made, ann)
  const follow = { ...asked, messages: [user([{ type: 'image', source: { type: 'file', file_id: 'file_1' } }])] }
  for (const each of [{ ...made, container: 'container_1' }, { ...made, container: { id: 'container_1' } }, follow]) {
    second.script({ text: 'done' }, { text: 'done' })
    for (const _ of ['once', 'again']) {
      const reply = await gateway.post('/v1/messages', each, ann)
      assert.is(reply.headers.get('x-service-provider'), 'anthropic-2')
    }
    assert.is((await gateway.post('/v1/messages', each, bob)).status, 404)
    assert.is((await gateway.post('/v1/messages/count_tokens', each, bob)).status, 404)
  }
  assert.is(second.calls.length, 7)
  await gateway.post('/v1/messages/count_tokens', follow, ann)
  assert.is(second.calls.at(-1)?.path, '/v1/messages/count_tokens')
  await gateway.close()
})

test('the streams of a container are remembered, too', async () => {
  const { first, second, gateway } = await chain()
  const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
  const made = { ...asked, tools, messages: [user('draw')] }
  const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const container = { id: 'container_2', expires_at: '2026-12-01T00:00:00Z' }
  first.script({ status: 401 })
  second.script({
    sse: [
      event('message_start', { message: { id: 'msg_s', model: 'm', usage: { input_tokens: 1, output_tokens: 0 } } }),
      event('message_delta', { delta: { stop_reason: 'end_turn', container }, usage: { output_tokens: 1 } }),
      event('message_stop', {}),
    ],
  })
  await gateway.send('/v1/messages', JSON.stringify({ ...made, stream: true }), ann)
  const reply = await gateway.post('/v1/messages', { ...made, container: 'container_2' }, ann)
  assert.is(reply.headers.get('x-service-provider'), 'anthropic-2')
  await gateway.close()
})

test('a vendor of another dialect is not asked for what it cannot hold', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__CACHE_MODE: 'both' } })
  for (const body of [create, proceed('msg_1'), proceed('msg_1', [user('more')])]) {
    const { status, json } = await gateway.post('/v1/messages', body)
    assert.is(status, 400)
    assert.is(json.error.type, 'invalid_request_error')
    assert.equal(json.error.details, { error_code: 'thread_unsupported_request', unsupported: ['thread'] })
  }
  const file = user([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])
  const refused = await gateway.post('/v1/messages', { ...asked, messages: [user('hi'), file] })
  assert.is(refused.status, 400)
  assert.match(refused.json.error.message, 'messages[1].content[0].source.file_id')
  assert.is(upstream.calls.length, 0)
  await gateway.close()
})

test('a check that a client asks for is made anew each time, and never by a vendor of another dialect', async () => {
  const { first, gateway } = await chain()
  for (const stream of [false, true]) {
    const body = JSON.stringify({ ...asked, stream, safeguards: { input: true }, messages: [user('is this safe?')] })
    await Promise.all([ann, bob, ann].map(who => gateway.send('/v1/messages', body, who)))
    const { headers } = await gateway.send('/v1/messages', body, ann)
    assert.is(headers.get('x-service-layer'), 'l3')
  }
  assert.is(first.calls.length, 8)
  assert.equal(first.calls[0]?.body?.safeguards, { input: true })
  await gateway.close()
})

test('a check goes past a vendor of another dialect to the next one', async () => {
  const [chat, messages] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'anthropic', url: messages.url, api_key: 'second-key', model: 'claude-second' }]
  const settings = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) }
  const gateway = await startGateway({ upstream: chat, settings })
  const body = { ...asked, safeguards: {}, messages: [user('is this safe?')] }
  assert.is((await gateway.post('/v1/messages', body)).headers.get('x-service-provider'), 'anthropic')
  assert.equal([chat.calls.length, messages.calls.length], [0, 1])
  await gateway.close()
})

test('a chat client reaches a file only where it is, and an answer about it is not kept', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__CACHE_MODE: 'both' } })
  const body = { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] }
  for (const _ of ['once', 'again']) {
    const { headers } = await gateway.post('/v1/chat/completions', body)
    assert.is(headers.get('x-service-layer'), 'l3')
  }
  assert.is(upstream.calls.length, 2)
  await gateway.close()
})

const speaking = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        audio: { id: 'audio_77', data: 'AAAA', transcript: 'hi', expires_at: 9 },
      },
      finish_reason: 'stop',
    },
  ],
}
const spoken = [
  { role: 'assistant', content: null, audio: { id: 'audio_77' } },
  { transcript: 'h' },
  { data: 'AAAA', expires_at: 9 },
].map((part, at) => {
  const delta = at === 0 ? part : { audio: part }
  const finish_reason = at === 2 ? 'stop' : null
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
})

for (const stream of [false, true])
  test(`what a model said aloud is its client's to refer to, and no other's (${stream ? 'streamed' : 'whole'})`, async () => {
    const upstream = await startUpstream()
    const settings = { SERVICE__GATEWAY_API_KEYS: KEYS, SERVICE__CACHE_SCOPE: 'global' }
    const gateway = await startGateway({ upstream, settings })
    const reply = stream ? { sse: [...spoken, 'data: [DONE]\n\n'] } : { json: speaking }
    upstream.script(reply, reply)
    const speak = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' }, stream }
    const say = { model: 'm', ...speak, messages: [user('say hi')] }
    const send = (body: object, who: typeof ann) => gateway.send('/v1/chat/completions', JSON.stringify(body), who)
    assert.match((await send(say, ann)).text, 'audio_77')
    const again = await send(say, bob)
    assert.is(again.headers.get('x-service-layer'), 'l3', 'what the vendor soon forgets is not kept')
    const said = { role: 'assistant', audio: { id: 'audio_77' } }
    const next = { ...say, messages: [user('say hi'), said, user('once more')] }
    const { status, text } = await send(next, ann)
    assert.is(status, 200, text)
    assert.is((await send(next, bob)).status, 404)
    await gateway.close()
  })

test('what has no state is shared as before', async () => {
  const { first, gateway } = await chain()
  const plain = JSON.stringify({ ...asked, messages: [user('plain')] })
  await Promise.all([gateway.send('/v1/messages', plain, ann), gateway.send('/v1/messages', plain, bob)])
  const { headers } = await gateway.send('/v1/messages', plain, bob)
  assert.is(headers.get('x-service-layer'), 'l1a')
  assert.is(first.calls.length, 1)
  await gateway.close()
})

test('clearing the caches forgets nobody’s state', async () => {
  const { gateway } = await chain()
  const one = await gateway.send('/v1/messages', JSON.stringify(create), ann)
  assert.is((await gateway.post('/api/admin/cache/clear', {}, ann)).status, 200)
  const own = JSON.stringify(proceed(idIn(one.text)))
  assert.is((await gateway.send('/v1/messages', own, ann)).status, 200)
  assert.is((await gateway.send('/v1/messages', own, bob)).status, 404)
  await gateway.close()
})

test('a list of what all principals made is refused where there are several, in the words of its dialect', async () => {
  const upstream = await startUpstream()
  const settings = { SERVICE__GATEWAY_API_KEYS: KEYS }
  const openai = await startGateway({ upstream, settings })
  const anthropic = await startGateway({ upstream, provider: 'anthropic', settings })
  const version = { 'anthropic-version': '2023-06-01' }
  for (const [gateway, path, headers, kind] of [
    [openai, '/v1/files', {}, 'invalid_request_error'],
    [openai, '/v1/files?limit=1&after=file-1', {}, 'invalid_request_error'],
    [openai, '/v1/files/', {}, 'invalid_request_error'],
    [openai, '/v1/batches', {}, 'invalid_request_error'],
    [anthropic, '/v1/files', version, 'permission_error'],
    [anthropic, '/v1/messages/batches', version, 'permission_error'],
  ] as const)
    for (const who of [ann, bob]) {
      const { status, json } = await gateway.get(path, { ...headers, ...who })
      assert.equal([status, json.error.type], [403, kind], path)
      assert.match(json.error.message, 'by its id')
    }
  assert.is(upstream.calls.length, 0)
  const alone = { SERVICE__GATEWAY_API_KEYS: JSON.stringify([{ key: 'key-of-ann', label: 'ann' }]) }
  const own = await startGateway({ upstream, settings: alone })
  upstream.script({ json: { object: 'list', data: [], has_more: false } })
  assert.is((await own.get('/v1/files', ann)).status, 200)
  for (const each of [openai, anthropic, own, upstream]) await each.close()
})

test.run()
