import { type AnswerEvent, type Frame, isObject, type JsonObject, type StreamDecoder, type WireEvent } from 'deflector'
import { indexOf, objectOf, textOf } from './event-members.ts'
import { decodeStop, faultOf } from './stop.ts'
import { StreamedItems } from './streamed-items.ts'
import { decodeUsage } from './usage.ts'

/**
 * Reads one vendor's stream. Hosts differ in how much they tell twice: what did not come in pieces is taken from the
 * event that closes a part, an item, or the whole response.
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #items = new StreamedItems()
  #started = false
  #ended = false

  push({ event, data }: WireEvent): AnswerEvent[] {
    const text = data.trim()
    if (this.#ended || text === '') return []
    if (text === '[DONE]') throw new Error('the stream ended before response.completed')
    const body: unknown = JSON.parse(text)
    if (!isObject(body)) throw new Error('an event of the stream is not an object')
    const type = typeof body.type === 'string' ? body.type : (event ?? '')
    if (type === 'error' || (isObject(body.error) && body.type === undefined))
      throw faultOf(isObject(body.error) ? body.error : body)
    return this.#items.told(this.#read(type, body))
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
        return this.#items.added(indexOf(body), objectOf(body.item))
      case 'response.output_item.done':
        return this.#items.done(indexOf(body), objectOf(body.item))
      case 'response.output_text.delta':
        return this.#items.said(body, 'text', body.delta)
      case 'response.output_text.done':
        return this.#items.rest(body, 'text', body.text)
      case 'response.refusal.delta':
        return this.#items.said(body, 'refusal', body.delta)
      case 'response.refusal.done':
        return this.#items.rest(body, 'refusal', body.refusal)
      case 'response.output_text.annotation.added':
        return this.#items.annotation(indexOf(body), body.annotation)
      case 'response.reasoning_summary_text.delta':
        return this.#items.said(body, 'reasoning', body.delta, 'summary_index')
      case 'response.reasoning_summary_text.done':
        return this.#items.rest(body, 'reasoning', body.text, 'summary_index')
      case 'response.reasoning_text.delta':
        return this.#items.said(body, 'reasoning', body.delta)
      case 'response.reasoning_text.done':
        return this.#items.rest(body, 'reasoning', body.text)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#items.args(indexOf(body), body.delta)
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return this.#items.allArgs(indexOf(body), body.arguments ?? body.input)
      case 'response.content_part.added':
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_part.done':
      case 'keepalive':
        return []
      case 'response.failed':
      case 'response.cancelled':
        throw faultOf(objectOf(body.response).error, type.slice(type.indexOf('.') + 1))
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(type.slice(type.indexOf('.') + 1), objectOf(body.response))
      default:
        // Steps of a tool that the vendor runs: its item holds the outcome.
        return HOSTED.test(type) ? [] : this.#items.cannotHold(type === '' ? 'an event without a type' : type)
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

  /** `status`: as the last event says it. Some hosts leave the response in it as it began. */
  #finish(status: string, response: JsonObject): AnswerEvent[] {
    const output: unknown[] = Array.isArray(response.output) ? response.output : []
    const late = [
      ...this.#start(response),
      ...output.flatMap((item, index) => (isObject(item) ? this.#items.done(index, item) : [])),
    ]
    const stop = decodeStop({ ...response, status: endOf(response.status, status) }, this.#items.seen)
    const usage = decodeUsage(response.usage, response.service_tier)
    this.#ended = true
    return [...late, ...(usage ? [{ type: 'usage' as const, usage }] : []), { type: 'stop', stop }, { type: 'end' }]
  }
}

const endOf = (own: unknown, event: string): unknown =>
  own === undefined || own === null || own === 'in_progress' || own === 'queued' ? event : own

/** Steps of tools that a vendor runs: `response.web_search_call.searching`. Their items tell all that they come to. */
const HOSTED =
  /^response\.(?:\w+_call|mcp_list_tools|shell_call_command|shell_call_output_content|mcp_call_arguments|code_interpreter_call_code|apply_patch_call_\w+)\.\w+$/
