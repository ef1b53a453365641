import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { type Reply, startUpstream } from '../support/upstream.ts'

/** What a client's dialect has no words for is an error there, never an answer with a hole; the vendor's own clients get it. */

const upstream = await startUpstream()
const gateway = await startGateway({ upstream, provider: 'gemini' })
test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

let n = 0
const own = () => JSON.stringify({ contents: [{ role: 'user', parts: [{ text: `draw ${n++}` }] }] })
const chat = (stream: boolean) =>
  JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: `draw ${n++}` }] })
const frame = (parts: object[], more: object = {}) =>
  JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], modelVersion: 'm' })
const image = frame([{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }], { finishReason: 'STOP' })
const pieces = [
  frame([{ functionCall: { name: 'find', partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true } }]),
  frame([{ functionCall: {} }]),
  frame([{ text: '' }], { finishReason: 'STOP' }),
]
const sse = (frames: string[]) => frames.map(data => `data: ${data}\n\n`)
/** Also for the attempts after the first. */
const times = (reply: Reply): Reply[] => Array.from({ length: 9 }, () => reply)

test('an image in an answer', async () => {
  upstream.script(...times({ raw: image }))
  const passed = await gateway.send('/v1beta/models/m:generateContent', own())
  assert.is(passed.text, image)
  upstream.clear()
  upstream.script(...times({ raw: image }))
  const whole = await gateway.send('/v1/chat/completions', chat(false))
  assert.equal([whole.status, whole.headers.get('x-should-retry')], [502, 'false'], whole.text)
  assert.match(whole.text, 'an image')
  assert.is(upstream.calls.length, 1, 'asking again would not help')
  upstream.clear()
  upstream.script(...times({ sse: sse([image]) }))
  const streamed = await gateway.send('/v1/chat/completions', chat(true))
  assert.match(streamed.text, 'error')
  assert.not.match(streamed.text, '"finish_reason":"stop"')
  assert.is(upstream.calls.length, 1)
})

test('an image in an answer goes to the next entry at once', async () => {
  const fallback = await startUpstream()
  const fallbacks = [{ provider: 'openai', url: fallback.url, api_key: 'k', model: 'fb' }]
  const settings = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallbacks) }
  const two = await startGateway({ upstream, provider: 'gemini', settings })
  for (const stream of [false, true]) {
    upstream.clear()
    upstream.script(...times(stream ? { sse: sse([image]) } : { raw: image }))
    fallback.script({ text: 'words' })
    const answer = await two.send('/v1/chat/completions', chat(stream))
    assert.is(answer.headers.get('x-service-provider'), 'openai', answer.text)
    assert.is(upstream.calls.length, 1)
  }
  await two.close()
  await fallback.close()
})

test('a call whose arguments come in pieces', async () => {
  upstream.script(...times({ sse: sse(pieces) }))
  const passed = await gateway.send('/v1beta/models/m:streamGenerateContent?alt=sse', own())
  for (const piece of pieces) assert.ok(passed.text.includes(piece), passed.text)
  upstream.clear()
  upstream.script(...times({ sse: sse(pieces) }))
  const streamed = await gateway.send('/v1/chat/completions', chat(true))
  assert.match(streamed.text, 'error')
  assert.not.match(streamed.text, 'tool_calls')
})

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const said = { content: 'Here it is.', images: [picture] }
const drawnChat: Reply = {
  raw: JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }],
    usage,
  }),
}
const chunk = (delta: object, finish_reason: string | null = null) =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
const drawnChunks: Reply = { sse: [...sse([chunk(said), chunk({}, 'stop')]), 'data: [DONE]\n\n'] }

const response = (status: string, output: object[]) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
})
const answeredWith = (item: object): Reply => ({ raw: JSON.stringify(response('completed', [item])) })
const streamedWith = (item: object): Reply => ({
  sse: [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response('completed', [item]) },
  ].map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`),
})
const items = [
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
  {
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'call_1',
    status: 'completed',
    action: { type: 'exec', command: ['ls'], env: {} },
  },
  { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 'n', arguments: '{}' },
]

/** The same prompt in each dialect, and where to. */
const asks = (stream: boolean): Record<string, readonly [string, object]> => {
  const prompt = `draw ${n++}`
  const messages = [{ role: 'user', content: prompt }]
  const google = `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
  return {
    'chat-completions': ['/v1/chat/completions', { model: 'm', stream, messages }],
    responses: ['/v1/responses', { model: 'm', stream, store: false, input: prompt }],
    messages: ['/v1/messages', { model: 'm', stream, max_tokens: 9, messages }],
    'generate-content': [google, { contents: [{ role: 'user', parts: [{ text: prompt }] }] }],
  }
}
type Drawn = readonly [what: string, provider: string, own: string, reply: (stream: boolean) => Reply]
const vital: readonly Drawn[] = [
  ['images', 'openai', 'chat-completions', stream => (stream ? drawnChunks : drawnChat)],
  ...items.map(
    (item): Drawn => [
      item.type,
      'openai-responses',
      'responses',
      stream => (stream ? streamedWith : answeredWith)(item),
    ],
  ),
]

for (const [what, provider, own, reply] of vital) {
  test(`${what} of a ${own} vendor reach its own clients alone, and nobody gets an answer without them`, async () => {
    const one = await startGateway({ upstream, provider })
    for (const stream of [false, true])
      for (const [client, [path, body]] of Object.entries(asks(stream))) {
        const about = `${client}, ${stream ? 'streamed' : 'whole'}`
        upstream.clear()
        upstream.script(...times(reply(stream)))
        const first = await one.send(path, JSON.stringify(body))
        const again = await one.send(path, JSON.stringify(body))
        if (client === own) {
          const { raw, sse: events } = reply(stream)
          assert.is(first.text, raw ?? events?.join(''), about)
          continue
        }
        assert.is(upstream.calls.length, 2, `${about}: nothing is stored`)
        for (const { status, text } of [first, again]) {
          assert.ok(status === 502 || (stream && /"error"/.test(text)), `${about}: ${status} ${text}`)
          assert.match(text, /an image|the item/, about)
          assert.not.match(text, /"(?:finish_reason|stop_reason|finishReason)":"\w/, about)
        }
      }
    await one.close()
  })
}

test('steps that a responses vendor took itself are none of these, but alone they are no answer to keep', async () => {
  const one = await startGateway({ upstream, provider: 'openai-responses' })
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }
  const [path, body] = asks(false).messages ?? []
  upstream.clear()
  upstream.script(...times(answeredWith(search)))
  for (const calls of [1, 2]) {
    const { status } = await one.send(path ?? '', JSON.stringify(body))
    assert.equal([status, upstream.calls.length], [200, calls])
  }
  await one.close()
})

test("a part's empty proof goes no further (D37)", async () => {
  const parts = [{ text: 'words', thoughtSignature: '' }]
  const user = (text: string) => ({ role: 'user', parts: [{ text }] })
  const body = { contents: [user('one'), { role: 'model', parts }, user('two')] }
  await gateway.send('/v1beta/models/m:generateContent', JSON.stringify(body))
  assert.not.match(String(upstream.calls[0]?.raw), 'thoughtSignature')
  assert.match(String(upstream.calls[0]?.raw), 'words')
})

test.run()
