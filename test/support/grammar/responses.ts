import * as assert from 'uvu/assert'

/** One event of a responses stream. */
export interface ResponsesEvent {
  readonly type: string
  readonly sequence_number: number
  readonly output_index?: number
  readonly item_id?: string
  readonly content_index?: number
  readonly summary_index?: number
  readonly annotation_index?: number
  readonly item?: Item
  readonly part?: Part
  readonly delta?: string
  readonly text?: string
  readonly refusal?: string
  readonly arguments?: string
  readonly input?: string
  readonly logprobs?: readonly unknown[]
  readonly annotation?: unknown
  readonly response?: ResponseBody
}

interface Item extends Record<string, unknown> {
  readonly type: string
  readonly id: string
}

interface Part extends Record<string, unknown> {
  readonly type: string
}

/** A response object, shaped as a test expects it. */
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
type ResponseBody = Record<string, any>

/** Begins an item with nothing in it. */
const EMPTY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  message: { status: 'in_progress', content: [] },
  reasoning: { summary: [] },
  function_call: { status: 'in_progress', arguments: '' },
  custom_tool_call: { status: 'in_progress', input: '' },
}

const PREFIX: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
}

/** What every client reads of a response object, whatever its status. */
const FIELDS = [
  'id',
  'object',
  'created_at',
  'status',
  'error',
  'incomplete_details',
  'instructions',
  'metadata',
  'model',
  'output',
  'parallel_tool_calls',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
] as const

/**
 * Reads a stream that we wrote and fails unless it keeps every rule of the event grammar: names, numbers, one item at a
 * time, each part and item told the same in pieces, at its end and in the final response. Returns its events.
 */
export function checkResponsesGrammar(text: string): ResponsesEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is closed')
  assert.not(text.includes('[DONE]'), 'this dialect has no [DONE]')
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .map((frame): ResponsesEvent => {
      const [name, data, ...more] = frame.split('\n')
      assert.is(more.length, 0, 'two lines an event')
      const event: ResponsesEvent = JSON.parse((data ?? '').replace(/^data: /, ''))
      assert.is(name, `event: ${event.type}`)
      return event
    })
  for (const [index, event] of events.entries()) assert.is(event.sequence_number, index, 'numbers rise by one from 0')
  const [created, inProgress] = events
  const last = events.at(-1)
  assert.is(created?.type, 'response.created')
  assert.is(inProgress?.type, 'response.in_progress')
  assert.ok(/^response\.(completed|incomplete)$/.test(last?.type ?? ''), `the stream ends with ${last?.type}`)
  for (const event of [created, inProgress, last]) checkResponse(event?.response, created?.response?.id)
  for (const event of [created, inProgress]) {
    assert.is(event?.response?.status, 'in_progress')
    assert.equal(event?.response?.output, [])
  }
  const output = new Output()
  for (const event of events.slice(2, -1)) output.take(event)
  assert.equal(output.items(), last?.response?.output, 'the final response holds the very items of the stream')
  const ids = output.items().map(item => item.id)
  assert.is(new Set(ids).size, ids.length, 'each item has an id of its own')
  checkUsage(last?.response?.usage)
  return events
}

function checkResponse(response: ResponseBody | undefined, id: unknown): void {
  assert.ok(response, 'the event has a response')
  for (const field of FIELDS) assert.ok(field in response, `the response has ${field}`)
  assert.is(response.object, 'response')
  assert.is(response.id, id, 'one id for the whole stream')
  assert.match(String(id), /^resp_/)
}

/** One client refuses a whole answer for a number that is missing. */
function checkUsage(usage: unknown): void {
  if (usage === null) return
  const numbers = usage as Record<string, unknown> & {
    input_tokens_details: Record<string, unknown>
    output_tokens_details: Record<string, unknown>
  }
  for (const field of ['input_tokens', 'output_tokens', 'total_tokens'])
    assert.ok(Number.isInteger(numbers[field]), `usage has ${field}`)
  assert.ok(Number.isInteger(numbers.input_tokens_details.cached_tokens))
  assert.ok(Number.isInteger(numbers.output_tokens_details.reasoning_tokens))
}

/** The items as their own events tell them. */
class Output {
  readonly #done: Item[] = []
  #item: Item | undefined
  readonly #parts: Part[] = []
  #part:
    | { readonly index: number; readonly type: string; text: string; annotations: unknown[]; closed: boolean }
    | undefined
  #args = ''
  #argsDone = false

  items(): readonly Item[] {
    assert.is(this.#item, undefined, 'every item is done')
    return this.#done
  }

  take(event: ResponsesEvent): void {
    assert.is(event.output_index, this.#done.length, 'items are dense and never interleave')
    if (event.type === 'response.output_item.added') this.#add(event.item)
    else if (event.type === 'response.output_item.done') this.#finish(event.item)
    else this.#inside(event)
  }

  #inside(event: ResponsesEvent): void {
    assert.ok(this.#item, `${event.type} inside an item`)
    assert.is(event.item_id, this.#item.id)
    if (this.#item.type === 'message') this.#message(event)
    else if (this.#item.type === 'reasoning') this.#reasoning(event)
    else this.#call(event)
  }

  #add(item: Item | undefined): void {
    assert.is(this.#item, undefined, 'one item at a time')
    assert.ok(item)
    for (const [field, value] of Object.entries(EMPTY[item.type] ?? {})) assert.equal(item[field], value)
    assert.ok(item.id.startsWith(PREFIX[item.type] ?? ''), `${item.id} is the id of a ${item.type}`)
    this.#item = item
    this.#parts.length = 0
    this.#args = ''
    this.#argsDone = false
  }

  #finish(item: Item | undefined): void {
    assert.ok(item)
    assert.is(item.id, this.#item?.id)
    assert.is(item.type, this.#item?.type)
    assert.is(this.#part, undefined, 'every part is done')
    if (item.type === 'message') {
      assert.equal(item.content, this.#parts)
      assert.ok(['completed', 'incomplete'].includes(String(item.status)))
    } else if (item.type === 'reasoning') assert.equal(item.summary, this.#parts)
    else if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      assert.ok(this.#argsDone, 'arguments are done before their item')
      assert.is(item.type === 'function_call' ? item.arguments : item.input, this.#args)
    }
    this.#done.push(item)
    this.#item = undefined
  }

  #message(event: ResponsesEvent): void {
    assert.is(event.content_index, this.#parts.length, 'parts are dense')
    switch (event.type) {
      case 'response.content_part.added':
        assert.is(this.#part, undefined, 'one part at a time')
        assert.ok(event.part?.type === 'output_text' ? event.part.text === '' : event.part?.refusal === '')
        this.#part = {
          index: this.#parts.length,
          type: event.part?.type ?? '',
          text: '',
          annotations: [],
          closed: false,
        }
        return
      case 'response.output_text.delta':
        assert.ok(Array.isArray(event.logprobs), 'a delta has its probabilities, if only none')
        this.#extend('output_text', event.delta)
        return
      case 'response.refusal.delta':
        this.#extend('refusal', event.delta)
        return
      case 'response.output_text.annotation.added':
        assert.is(event.annotation_index, this.#part?.annotations.length)
        this.#part?.annotations.push(event.annotation)
        return
      case 'response.output_text.done':
        this.#close('output_text', event.text)
        return
      case 'response.refusal.done':
        this.#close('refusal', event.refusal)
        return
      case 'response.content_part.done': {
        const { part } = event
        assert.ok(this.#part?.closed, 'a part is told whole before it is done')
        assert.is(part?.type === 'refusal' ? part.refusal : part?.text, this.#part?.text)
        if (part?.type === 'output_text') assert.equal(part.annotations, this.#part?.annotations)
        if (part) this.#parts.push(part)
        this.#part = undefined
        return
      }
      default:
        assert.unreachable(`${event.type} in a message`)
    }
  }

  #reasoning(event: ResponsesEvent): void {
    assert.is(event.summary_index, this.#parts.length, 'parts are dense')
    switch (event.type) {
      case 'response.reasoning_summary_part.added':
        assert.is(this.#part, undefined, 'one part at a time')
        this.#part = { index: this.#parts.length, type: 'summary_text', text: '', annotations: [], closed: false }
        return
      case 'response.reasoning_summary_text.delta':
        this.#extend('summary_text', event.delta)
        return
      case 'response.reasoning_summary_text.done':
        this.#close('summary_text', event.text)
        return
      case 'response.reasoning_summary_part.done':
        assert.ok(this.#part?.closed)
        assert.equal(event.part, { type: 'summary_text', text: this.#part?.text })
        if (event.part) this.#parts.push(event.part)
        this.#part = undefined
        return
      default:
        assert.unreachable(`${event.type} in reasoning`)
    }
  }

  #call(event: ResponsesEvent): void {
    const isCustom = this.#item?.type === 'custom_tool_call'
    const name = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
    assert.not(this.#argsDone, 'nothing follows the whole arguments')
    if (event.type === `${name}.delta`) {
      this.#args += event.delta
      return
    }
    assert.is(event.type, `${name}.done`)
    assert.is(isCustom ? event.input : event.arguments, this.#args)
    this.#argsDone = true
  }

  #extend(type: string, delta: string | undefined): void {
    assert.is(this.#part?.type, type)
    assert.not(this.#part?.closed)
    assert.ok(delta, 'no delta is empty')
    if (this.#part) this.#part.text += delta
  }

  #close(type: string, text: string | undefined): void {
    assert.is(this.#part?.type, type)
    assert.is(text, this.#part?.text, 'a part is told whole as it was told in pieces')
    if (this.#part) this.#part.closed = true
  }
}

/** The names of a stream's events without their common head, repeated deltas told once. */
export function responsesLadder(events: readonly ResponsesEvent[]): string[] {
  const names = events.map(({ type, item }) => {
    const name = type.replace(/^response\./, '')
    return item ? `${name} ${item.type}` : name
  })
  return names.filter((name, i) => name !== names[i - 1])
}
