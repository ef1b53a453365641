import type { AnswerEvent, Frame, JsonObject, StreamDecoder, WireEvent } from 'deflector'
import { isObject } from '../body.ts'
import { StreamFault } from '../stream-fault.ts'
import { decodeParts } from './answer-parts.ts'
import { vendorMessage } from './errors.ts'
import { readExtras } from './extras.ts'
import { decodeReasoning, reasoningText } from './reasoning.ts'
import { decodeStop } from './stop.ts'
import { CallReader } from './stream-calls.ts'
import { decodeUsage } from './usage.ts'

const DONE = '[DONE]'

/**
 * Reads the chunks of one stream, as many hosts write them: chunks without choices or delta, no role, ids and names in
 * every piece or calls without an index, the finish reason together with text, usage in any chunk.
 */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #calls = new CallReader()
  readonly #unmodelled = new Set<string>()
  #started = false
  #finished = false
  #ended = false
  #refused = false

  push({ event, data }: WireEvent): AnswerEvent[] {
    const text = data.trim()
    if (this.#ended || text === '') return []
    if (text === DONE) return this.#done()
    const chunk = parsed(text)
    if (event === 'error' || (chunk.error !== undefined && chunk.error !== null)) throw fault(chunk.error ?? chunk)
    const events: AnswerEvent[] = []
    const choices: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : []
    if (!this.#started && (choices.length > 0 || isText(chunk.id))) events.push(this.#start(chunk))
    let usage: unknown = chunk.usage ?? (isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined)
    let finish: unknown
    for (const choice of choices) {
      if (!isObject(choice)) continue
      if (typeof choice.index === 'number' && choice.index > 0) {
        events.push(...this.#cannotHold('a second choice'))
        continue
      }
      usage ??= choice.usage // Moonshot
      if (hasLogprobs(choice.logprobs)) events.push(...this.#cannotHold('log probabilities'))
      const delta = choice.delta ?? choice.message
      if (isObject(delta)) events.push(...this.#delta(delta))
      if (isText(choice.finish_reason)) finish ??= choice.finish_reason
    }
    const counted = decodeUsage(usage)
    if (counted) events.push({ type: 'usage', usage: counted })
    if (finish !== undefined && !this.#finished) events.push(...this.#finish(finish))
    return events
  }

  finish(): Frame[] {
    if (this.#ended) return []
    if (!this.#finished) throw new Error('the stream ended before a finish reason')
    this.#ended = true
    return [{ events: [{ type: 'end' }], wire: `data: ${DONE}\n\n` }]
  }

  #start(chunk: JsonObject): AnswerEvent {
    this.#started = true
    const { id, model, created } = chunk
    return {
      type: 'start',
      id: isText(id) ? id : '',
      model: isText(model) ? model : '',
      created: typeof created === 'number' ? created : 0,
    }
  }

  #delta(delta: JsonObject): AnswerEvent[] {
    const events: AnswerEvent[] = []
    const thought = reasoningText(delta)
    if (thought !== '') events.push({ type: 'reasoning', text: thought })
    for (const { text, signature, redacted } of decodeReasoning({ reasoning_details: delta.reasoning_details })) {
      if (text !== '' && thought === '') events.push({ type: 'reasoning', text })
      if (signature !== undefined) events.push({ type: 'signature', signature })
      if (redacted !== undefined) events.push({ type: 'signature', redacted })
    }
    for (const { type, text } of decodeParts(delta.content)) events.push({ type, text })
    if (isText(delta.refusal)) events.push({ type: 'refusal', text: delta.refusal })
    events.push(...readExtras(delta))
    if (isObject(delta.audio)) events.push(...this.#cannotHold('audio'))
    if (isObject(delta.function_call)) {
      events.push(...this.#cannotHold('a call in the old form'), ...this.#calls.read({ function: delta.function_call }))
    }
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      if (!isObject(call)) continue
      if (isObject(call.custom)) events.push(...this.#cannotHold('a free-form tool call'))
      events.push(...this.#calls.read(call))
    }
    this.#refused ||= events.some(({ type }) => type === 'refusal')
    return events
  }

  #finish(reason: unknown): AnswerEvent[] {
    this.#finished = true
    const rest = this.#calls.rest()
    return [...rest, { type: 'stop', stop: decodeStop(reason, { calls: this.#calls.any, refusal: this.#refused }) }]
  }

  /** The terminator also ends an answer that never got its finish reason, but one that never began is no answer. */
  #done(): AnswerEvent[] {
    if (!this.#started) throw new Error('the stream ended without an answer')
    const stop = this.#finished ? [] : this.#finish(undefined)
    this.#ended = true
    return [...stop, { type: 'end' }]
  }

  #cannotHold(what: string): AnswerEvent[] {
    if (this.#unmodelled.has(what)) return []
    this.#unmodelled.add(what)
    return [{ type: 'unmodelled', what }]
  }
}

function parsed(text: string): JsonObject {
  let chunk: unknown
  try {
    chunk = JSON.parse(text)
  } catch {
    throw new Error('a chunk is not JSON')
  }
  if (!isObject(chunk)) throw new Error('a chunk is not an object')
  return chunk
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Some hosts send the object with nothing in it, though nobody asked. */
const hasLogprobs = (logprobs: unknown): boolean =>
  isObject(logprobs) && Object.values(logprobs).some(list => Array.isArray(list) && list.length > 0)

function fault(error: unknown): StreamFault {
  const type = isObject(error) ? (error.type ?? error.code) : undefined
  return new StreamFault(isText(type) ? type : 'error', vendorMessage(error))
}
