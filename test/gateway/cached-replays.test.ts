import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { joinedChat, joinedMessages, joinedResponses } from '../support/joined-stream.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import {
  CHAT_STREAMS,
  MESSAGES_STREAMS,
  METADATA,
  RESPONSES_STREAMS,
  type VendorStream,
} from '../support/vendor-streams.ts'

interface Wire {
  readonly path: string
  readonly provider: string
  readonly streams: readonly VendorStream[]
  // biome-ignore lint/suspicious/noExplicitAny: whatever a vendor sent
  joined(text: string): any
  readonly extra: object
  /** Of the answer. */
  readonly ids?: RegExp
  /** Default: as the first of `messages`. */
  said?(content: string): object
}

const WIRES: readonly Wire[] = [
  {
    path: '/v1/chat/completions',
    provider: 'openai',
    streams: CHAT_STREAMS,
    joined: joinedChat,
    extra: { stream_options: { include_usage: true } },
  },
  {
    path: '/v1/messages',
    provider: 'anthropic',
    streams: MESSAGES_STREAMS,
    joined: joinedMessages,
    extra: { max_tokens: 100 },
  },
  {
    path: '/v1/responses',
    provider: 'openai-responses',
    streams: RESPONSES_STREAMS,
    joined: joinedResponses,
    extra: { store: false, metadata: METADATA },
    ids: /"id":\s*"resp_[^"]*"/g,
    said: content => ({ input: content }),
  },
]

async function opened({ provider }: Wire): Promise<{ gateway: TestGateway; upstream: Upstream }> {
  const upstream = await startUpstream()
  return { upstream, gateway: await startGateway({ upstream, provider }) }
}

const IDS = /"id":\s*"(?:chatcmpl-|msg_)[^"]*"/g

const idsIn = ({ ids = IDS }: Wire, text: string): string[] => [...new Set(text.match(ids) ?? [])]

test('ids of events go out as they came, and not from the cache', async () => {
  const [wire] = WIRES
  const [stream] = wire?.streams ?? []
  if (!wire || !stream) throw new Error('there is a stream of chat completions')
  const { gateway, upstream } = await opened(wire)
  const numbered = stream.wires.map((event, id) => `id: ${id}\n${event}`)
  upstream.script({ sse: numbered })
  const asked = JSON.stringify({
    model: 'm-1',
    messages: [{ role: 'user', content: 'ids?' }],
    stream: true,
    ...wire.extra,
  })
  const miss = await gateway.send(wire.path, asked)
  assert.is(miss.text, numbered.join(''))
  const hit = await gateway.send(wire.path, asked)
  assert.is(hit.headers.get('x-service-layer'), 'l1a')
  assert.not.match(hit.text, /^id:/m)
  assert.equal(wire.joined(hit.text), wire.joined(stream.wires.join('')))
})

for (const wire of WIRES) {
  for (const stream of wire.streams) {
    const said = wire.said?.(stream.name) ?? { messages: [{ role: 'user', content: stream.name }] }
    const ask = { model: 'm-1', ...said, ...wire.extra }

    test(`${wire.path}: ${stream.name}: a stream from the cache says what the first one said`, async () => {
      const { gateway, upstream } = await opened(wire)
      upstream.script({ sse: stream.wires })
      const miss = await gateway.send(wire.path, JSON.stringify({ ...ask, stream: true }))
      assert.is(miss.text, stream.wires.join(''), 'the first stream goes out as it came')
      const hit = await gateway.send(wire.path, JSON.stringify({ ...ask, stream: true }))
      if (stream.notKept) return assert.is(hit.headers.get('x-service-layer'), 'l3')
      assert.is(hit.headers.get('x-service-layer'), 'l1a')
      assert.equal(wire.joined(hit.text), wire.joined(miss.text))
      assert.is(idsIn(wire, hit.text).length, 1)
      assert.not.equal(idsIn(wire, hit.text), idsIn(wire, miss.text))
      assert.is(upstream.calls.length, 1)

      const whole = await gateway.post(wire.path, ask)
      if (stream.onlyStream) return assert.is(whole.headers.get('x-service-layer'), 'l3')
      assert.is(whole.headers.get('x-service-layer'), 'l1a', 'stream and whole share an entry')
      assert.not.equal(idsIn(wire, whole.text), idsIn(wire, miss.text))

      // What the vendor would have said whole: the same as a stream of it, joined.
      const second = await opened(wire)
      second.upstream.script({ raw: whole.text })
      const wholeMiss = await second.gateway.post(wire.path, ask)
      assert.is(wholeMiss.text, whole.text)
      const streamed = await second.gateway.send(wire.path, JSON.stringify({ ...ask, stream: true }))
      assert.is(streamed.headers.get('x-service-layer'), 'l1a')
      assert.equal(final(wire, streamed.text), final(wire, miss.text))
    })
  }
}

for (const stream of CHAT_STREAMS) {
  test(`a client that asks for no usage gets the same from the cache: ${stream.name}`, async () => {
    const [chat] = WIRES
    if (!chat) return assert.unreachable()
    const { gateway, upstream } = await opened(chat)
    upstream.script({ sse: stream.wires })
    const ask = JSON.stringify({ model: 'm-1', messages: [{ role: 'user', content: 'Hi' }], stream: true })
    const miss = await gateway.send(chat.path, ask)
    const hit = await gateway.send(chat.path, ask)
    assert.is(hit.headers.get('x-service-layer'), 'l1a')
    assert.equal(joinedChat(hit.text), joinedChat(miss.text))
  })
}

test('a stream that is too large to be kept is passed on, and asked for again', async () => {
  const { gateway, upstream } = await opened(WIRES[0] as Wire)
  const logprobs = { content: [{ token: 'x'.repeat(1000), logprob: -1 }] }
  const chunks = Array.from({ length: 4500 }, (_, i) => {
    const choices = [{ index: 0, delta: { content: 'x' }, logprobs, finish_reason: null }]
    return `data: ${JSON.stringify({ id: 'c', created: i, model: 'm', choices })}\n\n`
  })
  const end = 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const sse = [...chunks, end]
  upstream.script({ sse }, { sse })
  const ask = JSON.stringify({ model: 'm-1', messages: [{ role: 'user', content: 'Hi' }], stream: true })
  for (let i = 0; i < 2; i++) {
    const { text, headers } = await gateway.send('/v1/chat/completions', ask)
    assert.is(headers.get('x-service-layer'), 'l3')
    assert.is(text.length, sse.join('').length)
  }
})

/** What is left of a stream once it is over: a whole answer does not say which event said what. */
function final({ path, joined }: Wire, text: string): unknown {
  const all = joined(text)
  if (path !== '/v1/messages') return all
  const { type: _, delta, usage, ...beside } = all.ends
  return {
    message: { ...all.start, ...delta, ...beside, usage: { ...all.start.usage, ...usage } },
    // biome-ignore lint/suspicious/noExplicitAny: a block of whatever type
    blocks: all.blocks.map(({ start, deltas }: any) => ({
      ...start,
      ...deltas,
      ...(deltas.partial_json && { partial_json: deltas.partial_json.replaceAll(' ', '') }),
    })),
  }
}

test('calls that their vendor gave no ids have the same ones in every replay, and others in every answer', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  const toolCalls = ['f', 'g'].map(name => ({ id: '', name, arguments: '{}' }))
  const tools = ['f', 'g'].map(name => ({ name, input_schema: { type: 'object' } }))
  const ask = async (content: string, stream: boolean): Promise<string[]> => {
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], tools, stream }
    const { text } = await gateway.send('/v1/messages', JSON.stringify(body))
    return [...text.matchAll(/"id":\s*"(call_[^"]+)"/g)].map(([, id = '']) => id)
  }
  const told: string[][] = []
  for (const stream of [false, true]) {
    upstream.script({ toolCalls })
    const content = `what now? ${stream}`
    const first = await ask(content, stream)
    assert.equal([await ask(content, true), await ask(content, false)], [first, first])
    told.push(first)
  }
  assert.is(upstream.calls.length, 2)
  assert.is(new Set(told.flat()).size, 4)
})

test.run()
