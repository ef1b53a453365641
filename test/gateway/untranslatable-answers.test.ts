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

test("a part's empty proof goes no further (D37)", async () => {
  const parts = [{ text: 'words', thoughtSignature: '' }]
  const user = (text: string) => ({ role: 'user', parts: [{ text }] })
  const body = { contents: [user('one'), { role: 'model', parts }, user('two')] }
  await gateway.send('/v1beta/models/m:generateContent', JSON.stringify(body))
  assert.not.match(String(upstream.calls[0]?.raw), 'thoughtSignature')
  assert.match(String(upstream.calls[0]?.raw), 'words')
})

test.run()
