import { type Completion, GatewayError, isGatewayError, NO_CALL, promptOf, replay } from 'deflector'
import { native } from 'deflector/formats/native'
import { sseEvents } from 'deflector/formats/sse'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const reply = { id: 'abc', created: 5, layer: 'l3', provider: 'primary' }
const completion: Completion = {
  id: 'chatcmpl-1',
  model: 'm-1',
  created: 1,
  blocks: [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'Hello, Wörld 👋🏽' },
  ],
  stop: { reason: 'stop' },
  usage: { input: 3, output: 4, cacheRead: 1 },
}
const whole = {
  layer: 3,
  message: 'Hello, Wörld 👋🏽',
  model: 'm-1',
  id: 'abc',
  usage: { input_tokens: 3, output_tokens: 4, cache_read_tokens: 1 },
  provider: 'primary',
}

test('reads a prompt, its model, its session and whether it streams', () => {
  const body = { prompt: 'hi', model: 'm', stream: true, session_id: 's-1', anything: { else: 1 } }
  assert.equal(native.readHead(body, NO_CALL), { body, model: 'm', stream: true, session: 's-1' })
  assert.equal(native.readHead({ prompt: '', model: null, stream: null }, NO_CALL).stream, false)
  assert.is(native.readHead({ prompt: 'hi', metadata: { thread_id: 't' } }, NO_CALL).session, 't')
})

test('refuses a body without a prompt, naming the field', () => {
  for (const [body, param] of [
    [{}, 'prompt'],
    [{ prompt: 5 }, 'prompt'],
    [{ prompt: 'x', stream: 'yes' }, 'stream'],
    [[], undefined],
    ['text', undefined],
    [null, undefined],
  ] as const) {
    try {
      native.readHead(body, NO_CALL)
      assert.unreachable(JSON.stringify(body))
    } catch (error) {
      if (!isGatewayError(error)) throw error
      assert.is(error.code, 'bad_request')
      assert.is(error.param, param)
    }
  }
})

test('a prompt is one turn of the user', () => {
  assert.equal(native.decodePrompt({ prompt: 'hi' }), {
    system: [],
    turns: [{ role: 'user', blocks: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    sampling: {},
  })
})

test('an answer tells its layer as a number', () => {
  assert.equal(native.encodeAnswer(completion, reply), whole)
  for (const [layer, number] of Object.entries({ l1a: 1, l1b: 1, l2: 2, l3: 3, l0: 0 })) {
    assert.is(native.encodeAnswer(completion, { ...reply, layer }).layer, number)
  }
})

test('reads its own answers', () => {
  const read = native.decodeAnswer(native.encodeAnswer(completion, reply))
  assert.equal(read.blocks, [{ type: 'text', text: 'Hello, Wörld 👋🏽' }])
  assert.equal(read.usage, completion.usage)
  assert.is(read.model, 'm-1')
})

test('a stored answer goes out again with a new id, layer and provider', () => {
  const bytes = Buffer.from(JSON.stringify(native.encodeAnswer(completion, reply)))
  const again = native.reissue(bytes, { id: 'def', created: 6, layer: 'l1a' })
  const { provider: _, ...kept } = whole
  assert.equal(JSON.parse(Buffer.from(again).toString()), { ...kept, id: 'def', layer: 1 })
})

test('a stream holds deltas, the whole answer and the terminator', async () => {
  const body = { prompt: 'hi', stream: true }
  const encoder = native.streamEncoder(promptOf(native, Buffer.from(JSON.stringify(body)), body), reply)
  const text = [...replay(completion)].map(event => encoder.push(event)).join('')
  const data: string[] = []
  async function* once() {
    yield Buffer.from(text)
  }
  for await (const event of sseEvents(once())) data.push(event.data)
  assert.is(data.at(-1), '[DONE]')
  const objects = data.slice(0, -1).map(each => JSON.parse(each))
  assert.equal(objects.at(-1), whole)
  assert.is(
    objects
      .slice(0, -1)
      .map(({ delta }) => delta)
      .join(''),
    whole.message,
  )
})

test('errors have a code, a message and the id of the request', () => {
  const error = new GatewayError('offline', 'offline_mode is on')
  assert.equal(native.encodeError(error, 'r'), { error: 'offline', message: 'offline_mode is on', request_id: 'r' })
  assert.is(native.encodeStreamError(error, 'r'), 'data: {"error":"offline","message":"offline_mode is on"}\n\n')
})

test('nobody streams to us in this format', () => {
  assert.throws(() => native.streamDecoder(), /native/)
})

test.run()
