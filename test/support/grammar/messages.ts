import * as assert from 'uvu/assert'

/** One event of a messages stream. */
export interface MessagesEvent {
  readonly type: string
  readonly index?: number
  readonly content_block?: { readonly type: string; readonly id?: string; readonly input?: unknown } & Members
  readonly delta?: Members & { readonly type?: string }
  readonly message?: Members
  readonly usage?: Members
  readonly error?: Members
}

type Members = Readonly<Record<string, unknown>>

const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
}

const STOPS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]

/**
 * Reads a stream that we wrote and fails unless it keeps every rule of the event grammar: two lines an event, one block at
 * a time, dense indexes, a terminal event. A stream that broke ends with an error event, wherever it was. Returns its
 * events.
 */
export function checkMessagesGrammar(text: string): MessagesEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is closed')
  assert.not(text.includes('[DONE]'), 'this dialect has no [DONE]')
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .filter(frame => !frame.startsWith(':'))
    .map(eventOf)
  const last = events.at(-1)
  const isBroken = last?.type === 'error'
  if (isBroken) {
    assert.type(last.error?.type, 'string')
    assert.type(last.error?.message, 'string')
  } else checkEnd(events)
  const [first, ...rest] = isBroken ? events.slice(0, -1) : events.slice(0, -2)
  if (first) checkStart(first)
  const blocks = new Blocks()
  for (const event of rest) blocks.take(event)
  if (!isBroken) blocks.end(events.at(-2)?.delta?.stop_reason)
  return events
}

function eventOf(frame: string): MessagesEvent {
  const [name, data, ...more] = frame.split('\n')
  assert.is(more.length, 0, 'two lines an event')
  const event: MessagesEvent = JSON.parse((data ?? '').replace(/^data: /, ''))
  assert.is(name, `event: ${event.type}`)
  return event
}

function checkStart({ type, message }: MessagesEvent): void {
  assert.is(type, 'message_start')
  assert.match(String(message?.id), /^msg_/)
  assert.equal([message?.type, message?.role, message?.content], ['message', 'assistant', []])
  assert.equal([message?.stop_reason, message?.stop_sequence], [null, null])
  assert.type(message?.model, 'string')
  const { input_tokens: input } = (message?.usage ?? {}) as Members
  assert.ok(Number.isInteger(input), 'client libraries add to this number')
}

function checkEnd(events: readonly MessagesEvent[]): void {
  assert.is(events.at(-1)?.type, 'message_stop')
  const end = events.at(-2)
  assert.is(end?.type, 'message_delta')
  assert.ok(STOPS.includes(String(end?.delta?.stop_reason)), `${end?.delta?.stop_reason} is a stop reason`)
  assert.ok(Number.isInteger(end?.usage?.output_tokens), 'usage has output_tokens')
}

/** What stands between the start and the end. */
class Blocks {
  readonly #calls = new Set<string>()
  #open: string | undefined
  #next = 0
  #sealed = false

  take(event: MessagesEvent): void {
    if (event.type === 'ping') return
    assert.is(event.index, this.#next, 'indexes are dense and blocks never interleave')
    if (event.type === 'content_block_start') this.#start(event)
    else if (event.type === 'content_block_delta') this.#extend(event)
    else this.#close(event)
  }

  end(reason: unknown): void {
    assert.is(this.#open, undefined, 'every block is closed')
    assert.ok(this.#next > 0, 'there is a block')
    assert.ok(reason !== 'tool_use' || this.#calls.size > 0, 'what wants its calls run has calls')
  }

  #start({ content_block: block }: MessagesEvent): void {
    assert.is(this.#open, undefined, 'one block at a time')
    this.#open = block?.type ?? ''
    this.#sealed = false
    if (this.#open === 'text') assert.is(block?.text, '')
    if (this.#open === 'thinking') assert.equal([block?.thinking, block?.signature], ['', ''])
    if (this.#open !== 'tool_use') return
    assert.equal(block?.input, {})
    assert.match(String(block?.id), /^[A-Za-z0-9_-]+$/)
    assert.not(this.#calls.has(String(block?.id)), 'each call has an id of its own')
    this.#calls.add(String(block?.id))
  }

  #extend({ delta }: MessagesEvent): void {
    const open = this.#open
    assert.ok(open !== undefined && DELTAS[open]?.includes(delta?.type ?? ''), `${delta?.type} in ${open}`)
    assert.not(this.#sealed, 'nothing follows a signature')
    this.#sealed = delta?.type === 'signature_delta'
    if (delta?.type === 'input_json_delta') assert.type(delta.partial_json, 'string')
  }

  #close({ type }: MessagesEvent): void {
    assert.is(type, 'content_block_stop')
    assert.ok(this.#open !== undefined, 'what stops has begun')
    this.#open = undefined
    this.#next++
  }
}

/** The names of a stream's events, repeated deltas told once. */
export function messagesLadder(events: readonly MessagesEvent[]): string[] {
  const names = events.map(({ type, content_block, delta }) => {
    if (type === 'content_block_start') return `start ${content_block?.type}`
    if (type === 'content_block_delta') return String(delta?.type)
    return type === 'content_block_stop' ? 'stop' : type
  })
  return names.filter((name, i) => name !== names[i - 1])
}
