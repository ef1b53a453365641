import { type AnswerEvent, type Frame, isObject, type JsonObject, type StreamDecoder, type WireEvent } from 'deflector'
import { decodeAnnotation, decodeLogprobs } from './annotations.ts'
import { SEVERAL_TEXTS } from './answer.ts'
import { decodeCall } from './decode-items.ts'
import { annotationsOf, lostFromItem, lostFromPart } from './output-items.ts'
import { BETWEEN, decodeProof, decodeReasoning } from './reasoning.ts'
import { decodeStop, faultOf } from './stop.ts'
import { decodeUsage } from './usage.ts'

/** What has been told of an item so far. */
interface ItemProgress {
  /** Place of a call among the calls of this answer. */
  call?: number
  /** Has any of its text, arguments or reasoning come? */
  begun: boolean
  /** Parts whose text came in pieces, by kind and index. */
  readonly parts: Set<string>
  /** Citations that had an event of their own. */
  cited: number
  done: boolean
}

/**
 * Reads one vendor's stream. Hosts differ in how much they tell twice: what did not come in pieces is taken from the
 * event that closes a part, an item, or the whole response.
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #items = new Map<number, ItemProgress>()
  readonly #unmodelled = new Set<string>()
  #calls = 0
  #refused = false
  #started = false
  #ended = false
  /** What the canonical stream told last, to know texts that follow each other apart. */
  #last: AnswerEvent['type'] | undefined

  push({ event, data }: WireEvent): AnswerEvent[] {
    const text = data.trim()
    if (this.#ended || text === '') return []
    if (text === '[DONE]') throw new Error('the stream ended before response.completed')
    const body: unknown = JSON.parse(text)
    if (!isObject(body)) throw new Error('an event of the stream is not an object')
    const type = typeof body.type === 'string' ? body.type : (event ?? '')
    if (type === 'error' || (isObject(body.error) && body.type === undefined))
      throw faultOf(isObject(body.error) ? body.error : body)
    const events = this.#read(type, body)
    for (const { type: told } of events) if (SAYING.has(told)) this.#last = told
    return events
  }

  finish(): Frame[] {
    if (!this.#ended) throw new Error('the stream ended before response.completed')
    return []
  }

  #read(type: string, body: JsonObject): AnswerEvent[] {
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#start(body.response)
      case 'response.output_item.added':
        return this.#added(indexOf(body), objectOf(body.item))
      case 'response.output_item.done':
        return this.#done(indexOf(body), objectOf(body.item))
      case 'response.output_text.delta':
        return this.#said(body, 'text', body.delta)
      case 'response.output_text.done':
        return this.#rest(body, 'text', body.text)
      case 'response.refusal.delta':
        return this.#said(body, 'refusal', body.delta)
      case 'response.refusal.done':
        return this.#rest(body, 'refusal', body.refusal)
      case 'response.output_text.annotation.added':
        return this.#annotation(indexOf(body), body.annotation)
      case 'response.reasoning_summary_text.delta':
        return this.#said(body, 'reasoning', body.delta, 'summary_index')
      case 'response.reasoning_summary_text.done':
        return this.#rest(body, 'reasoning', body.text, 'summary_index')
      case 'response.reasoning_text.delta':
        return this.#said(body, 'reasoning', body.delta)
      case 'response.reasoning_text.done':
        return this.#rest(body, 'reasoning', body.text)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#args(indexOf(body), body.delta)
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return this.#allArgs(indexOf(body), body.arguments ?? body.input)
      case 'response.content_part.added':
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_part.done':
      case 'keepalive':
        return []
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#finish(objectOf(body.response))
      default:
        // Steps of a tool that the vendor runs: its item holds the outcome.
        return HOSTED.test(type) ? [] : this.#cannotHold(type === '' ? 'an event without a type' : type)
    }
  }

  #start(response: unknown): AnswerEvent[] {
    if (this.#started) return []
    this.#started = true
    const { id, model, created_at: created } = objectOf(response)
    return [
      {
        type: 'start',
        id: textOf(id),
        model: textOf(model),
        created: typeof created === 'number' ? created : 0,
      },
    ]
  }

  #item(index: number): ItemProgress {
    let item = this.#items.get(index)
    if (!item) {
      item = { begun: false, parts: new Set(), cited: 0, done: false }
      this.#items.set(index, item)
    }
    return item
  }

  #added(index: number, item: JsonObject): AnswerEvent[] {
    return isCall(item) ? this.#called(this.#item(index), item) : []
  }

  /** Tells the head of a call, once. */
  #called(progress: ItemProgress, item: JsonObject): AnswerEvent[] {
    if (progress.call !== undefined) return []
    progress.call = this.#calls++
    const { args: _, ...head } = decodeCall(item)
    return [{ ...head, index: progress.call }]
  }

  #args(index: number, delta: unknown): AnswerEvent[] {
    const progress = this.#item(index)
    if (progress.call === undefined) throw new Error('arguments belong to no call')
    const text = textOf(delta)
    if (text === '') return []
    progress.begun = true
    return [{ type: 'tool_args', index: progress.call, text }]
  }

  /** Where none came before. A call that was not announced is told whole by its item. */
  #allArgs(index: number, args: unknown): AnswerEvent[] {
    const { call, begun } = this.#item(index)
    return begun || call === undefined ? [] : this.#args(index, args)
  }

  #said(body: JsonObject, type: Saying, delta: unknown, place = 'content_index'): AnswerEvent[] {
    const text = textOf(delta)
    if (text === '') return []
    const item = this.#item(indexOf(body))
    const part = `${type} ${place} ${String(body[place] ?? 0)}`
    const isNew = !item.parts.has(part)
    item.parts.add(part)
    if (type === 'refusal') this.#refused = true
    const logprobs = type === 'text' ? decodeLogprobs(body.logprobs) : undefined
    const events: AnswerEvent[] = isNew ? this.#between(type) : []
    item.begun = true
    this.#last = type
    return [...events, { type, text, ...(logprobs && { logprobs }) }]
  }

  /** A text that follows another of its kind is kept apart from it. */
  #between(type: Saying): AnswerEvent[] {
    if (this.#last !== type || type === 'refusal') return []
    return [...(type === 'text' ? this.#cannotHold(SEVERAL_TEXTS) : []), { type, text: BETWEEN }]
  }

  /** A part's text, where none of it came before. */
  #rest(body: JsonObject, type: Saying, text: unknown, place = 'content_index'): AnswerEvent[] {
    const item = this.#item(indexOf(body))
    return item.parts.has(`${type} ${place} ${String(body[place] ?? 0)}`) ? [] : this.#said(body, type, text, place)
  }

  #annotation(index: number, annotation: unknown): AnswerEvent[] {
    this.#item(index).cited++
    const citation = decodeAnnotation(annotation)
    return citation ? [{ type: 'citation', citation }] : this.#cannotHold('annotations')
  }

  #done(index: number, item: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    if (progress.done) return []
    progress.done = true
    const lost = this.#cannotHold(...lostFromItem(item))
    if (isCall(item)) return [...lost, ...this.#closeCall(index, item)]
    if (item.type === 'message') return [...lost, ...this.#closeMessage(index, item)]
    if (item.type === 'reasoning') return this.#closeReasoning(index, item)
    return [{ type: 'opaque', format: 'responses', value: item }]
  }

  #closeCall(index: number, item: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    const head = this.#called(progress, item)
    return [...head, ...(progress.begun ? [] : this.#args(index, decodeCall(item).args))]
  }

  #closeMessage(index: number, { content }: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    const parts: unknown[] = Array.isArray(content) ? content : []
    return parts.flatMap((value, content_index) => {
      const part = objectOf(value)
      const at = { output_index: index, content_index, logprobs: part.logprobs }
      const said = part.type === 'refusal' ? this.#rest(at, 'refusal', part.refusal) : this.#rest(at, 'text', part.text)
      const cited = annotationsOf(part)
      const late = progress.cited === 0 ? cited.flatMap(each => decodeAnnotation(each) ?? []) : []
      return [
        ...said,
        ...late.map((citation): AnswerEvent => ({ type: 'citation', citation })),
        ...this.#cannotHold(...lostFromPart(part)),
      ]
    })
  }

  #closeReasoning(index: number, item: JsonObject): AnswerEvent[] {
    const { begun } = this.#item(index)
    const { text } = decodeReasoning(item)
    const said = begun ? [] : this.#said({ output_index: index }, 'reasoning', text)
    const proof = decodeProof(textOf(item.encrypted_content), text)
    return proof.signature === undefined && proof.redacted === undefined
      ? said
      : [...said, { ...proof, type: 'signature' }]
  }

  #finish(response: JsonObject): AnswerEvent[] {
    const output: unknown[] = Array.isArray(response.output) ? response.output : []
    const late = [
      ...this.#start(response),
      ...output.flatMap((item, index) => (isObject(item) ? this.#done(index, item) : [])),
    ]
    const stop = decodeStop(response, { calls: this.#calls > 0, refusal: this.#refused })
    const usage = decodeUsage(response.usage)
    this.#ended = true
    return [...late, ...(usage ? [{ type: 'usage' as const, usage }] : []), { type: 'stop', stop }, { type: 'end' }]
  }

  /** Each is reported once. */
  #cannotHold(...lost: readonly string[]): AnswerEvent[] {
    const fresh = lost.filter(what => !this.#unmodelled.has(what))
    for (const what of fresh) this.#unmodelled.add(what)
    return fresh.map(what => ({ type: 'unmodelled', what }))
  }
}

type Saying = 'text' | 'refusal' | 'reasoning'

/** Events after which another text is no continuation. */
const SAYING: ReadonlySet<AnswerEvent['type']> = new Set([
  'text',
  'refusal',
  'reasoning',
  'signature',
  'tool_call',
  'opaque',
])

/** Steps of tools that a vendor runs: `response.web_search_call.searching`. Their items tell all that they come to. */
const HOSTED =
  /^response\.(?:\w+_call|mcp_list_tools|shell_call_command|shell_call_output_content|mcp_call_arguments|code_interpreter_call_code|apply_patch_call_\w+)\.\w+$/

const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

function indexOf({ output_index: index }: JsonObject): number {
  if (typeof index !== 'number') throw new Error('an event belongs to no item')
  return index
}
