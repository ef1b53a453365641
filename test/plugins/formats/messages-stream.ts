import {
  type AnswerEvent,
  Assembler,
  type ChatFormat,
  type Completion,
  type Prompt,
  promptOf,
  type ReplyFacts,
} from 'deflector'
import { messages } from 'deflector/formats/messages'
import { sseEvents } from 'deflector/formats/sse'
import * as assert from 'uvu/assert'

export const reply: ReplyFacts = { id: 'r1', created: 1_790_000_000, layer: 'l3' }

export const promptIn = (format: ChatFormat, body: Record<string, unknown>): Prompt =>
  promptOf(format, Buffer.from(JSON.stringify(body)), body)

export const hello = promptIn(messages, {
  model: 'claude-sonnet-5',
  messages: [{ role: 'user', content: 'Hello' }],
})

/** The text of a stream in chunks of `size` bytes. */
export async function* chunks(text: string, size = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, Math.min(bytes.length, at + size))
}

/** What one format's decoder makes of a stream's text. */
export async function decoded(format: ChatFormat, source: AsyncIterable<Uint8Array>): Promise<AnswerEvent[]> {
  const decoder = format.streamDecoder()
  const events: AnswerEvent[] = []
  for await (const event of sseEvents(source)) events.push(...decoder.push(event))
  events.push(...decoder.finish().flatMap(frame => frame.events))
  return events
}

export const encoded = (format: ChatFormat, events: Iterable<AnswerEvent>, prompt: Prompt = hello): string => {
  const encoder = format.streamEncoder(prompt, reply)
  return [...events].map(event => encoder.push(event)).join('')
}

export function assembled(events: Iterable<AnswerEvent>): Completion {
  const assembler = new Assembler()
  for (const event of events) assembler.add(event)
  return assembler.completion()
}

interface StreamEvent {
  readonly type: string
  readonly index?: number
  readonly content_block?: { readonly type: string; readonly id?: string; readonly input?: unknown }
  readonly delta?: Record<string, unknown> & { readonly type?: string }
  readonly message?: Record<string, unknown>
  readonly usage?: Record<string, unknown>
}

const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
}

/** Reads a messages stream and fails unless it keeps every rule of the event grammar. Returns its events. */
export function checkGrammar(text: string): StreamEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is closed')
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .map((frame): StreamEvent => {
      const [name, data, ...more] = frame.split('\n')
      assert.is(more.length, 0, 'two lines an event')
      const event: StreamEvent = JSON.parse((data ?? '').replace(/^data: /, ''))
      assert.is(name, `event: ${event.type}`)
      return event
    })
  assert.is(events[0]?.type, 'message_start')
  assert.is(events.at(-2)?.type, 'message_delta')
  assert.is(events.at(-1)?.type, 'message_stop')
  let open: string | undefined
  let next = 0
  let sealed = false
  for (const { type, index, content_block, delta } of events.slice(1, -2)) {
    if (type === 'ping') continue
    assert.is(index, next, 'indexes are dense and blocks never interleave')
    if (type === 'content_block_start') {
      assert.is(open, undefined, 'one block at a time')
      open = content_block?.type ?? ''
      sealed = false
      if (open === 'tool_use') assert.equal(content_block?.input, {})
    } else if (type === 'content_block_delta') {
      assert.ok(open !== undefined && DELTAS[open]?.includes(delta?.type ?? ''), `${delta?.type} in ${open}`)
      assert.not(sealed, 'nothing follows a signature')
      sealed = delta?.type === 'signature_delta'
    } else {
      assert.is(type, 'content_block_stop')
      assert.ok(open !== undefined, 'what stops has begun')
      open = undefined
      next++
    }
  }
  assert.is(open, undefined, 'every block is closed')
  assert.ok(next > 0, 'there is a block')
  return events
}

/** The names of a stream's events, repeated deltas told once. */
export function ladder(events: readonly StreamEvent[]): string[] {
  const names = events.map(({ type, content_block, delta }) => {
    if (type === 'content_block_start') return `start ${content_block?.type}`
    if (type === 'content_block_delta') return String(delta?.type)
    return type === 'content_block_stop' ? 'stop' : type
  })
  return names.filter((name, i) => name !== names[i - 1])
}
