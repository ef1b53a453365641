import {
  type AnswerEvent,
  type Frame,
  isObject,
  type JsonObject,
  type StreamDecoder,
  type TokenLogprob,
  type WireEvent,
} from 'deflector'
import { withExactMembers } from '../exact-members.ts'
import { decodeLogprobs } from '../logprobs.ts'
import { StreamFault } from '../stream-fault.ts'
import { decodeParts } from './answer-parts.ts'
import { decodeAnnotations } from './citations.ts'
import { vendorMessage } from './errors.ts'
import { ARGUMENTS } from './exact.ts'
import { readExtras } from './extras.ts'
import { decodeReasoning, reasoningText } from './reasoning.ts'
import { newDetails } from './reasoning-details.ts'
import { decodeStop } from './stop.ts'
import { CallReader } from './stream-calls.ts'
import { lostFromBody, lostFromChoice } from './unmodelled.ts'
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
  /** Those that were said. */
  readonly #details = new Set<string>()
  #finished = false
  /** Further choices: they have to come to an end as well. */
  readonly #others = new Map<number, boolean>()
  #ended = false
  #refused = false
  #tier: unknown

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
    events.push(...this.#cannotHold(...lostFromBody(chunk)))
    for (const choice of choices) {
      if (!isObject(choice)) continue
      if (typeof choice.index === 'number' && choice.index > 0) {
        this.#others.set(choice.index, this.#others.get(choice.index) === true || isText(choice.finish_reason))
        events.push(...this.#cannotHold('a second choice'))
        continue
      }
      usage ??= choice.usage // Moonshot
      const delta = choice.delta ?? choice.message
      events.push(...this.#cannotHold(...lostFromChoice(choice, isObject(delta) ? delta : {})))
      const told = isObject(choice.logprobs) ? decodeLogprobs(choice.logprobs.content) : undefined
      if (isObject(delta)) events.push(...withLogprobs(this.#delta(delta), told))
      if (isText(choice.finish_reason)) finish ??= choice.finish_reason
    }
    this.#tier = chunk.service_tier ?? this.#tier
    const counted = decodeUsage(usage, this.#tier)
    if (counted) events.push({ type: 'usage', usage: counted })
    if (finish !== undefined && !this.#finished) events.push(...this.#finish(finish))
    return events
  }

  /**
   * An answer without its terminator is passed on with ours. Only where the transport says that nothing is missing is it
   * sure enough to be kept.
   */
  finish(framed = false): Frame[] {
    if (this.#ended) return []
    if (!this.complete) throw new Error('the stream ended before a finish reason')
    this.#ended = true
    const doubt = framed ? [] : this.#cannotHold('a missing terminator')
    return [{ events: [...doubt, { type: 'end' }], wire: `data: ${DONE}\n\n` }]
  }

  get complete(): boolean {
    return this.#finished && [...this.#others.values()].every(Boolean)
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
    for (const { text, signature, redacted, origin } of decodeReasoning({
      reasoning_details: newDetails(delta.reasoning_details, this.#details),
    })) {
      const signer = origin === undefined ? {} : { origin }
      if (text !== '' && thought === '') events.push({ type: 'reasoning', text })
      if (signature !== undefined) events.push({ type: 'signature', signature, ...signer })
      if (redacted !== undefined) events.push({ type: 'signature', redacted, ...signer })
    }
    for (const { type, text } of decodeParts(delta.content)) events.push({ type, text })
    if (isText(delta.refusal)) events.push({ type: 'refusal', text: delta.refusal })
    for (const citation of decodeAnnotations(delta.annotations) ?? []) events.push({ type: 'citation', citation })
    events.push(...readExtras(delta))
    if (isObject(delta.function_call)) events.push(...this.#calls.read({ function: delta.function_call }))
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      if (isObject(call)) events.push(...this.#calls.read(call))
    }
    this.#refused ||= events.some(({ type }) => type === 'refusal')
    return events
  }

  #finish(reason: unknown): AnswerEvent[] {
    this.#finished = true
    const rest = this.#calls.rest()
    return [...rest, { type: 'stop', stop: decodeStop(reason, { calls: this.#calls.any, refusal: this.#refused }) }]
  }

  /** A terminator alone does not say that the model finished: a host that breaks off politely sends it too. */
  #done(): AnswerEvent[] {
    if (!this.complete) throw new Error('the stream ended before a finish reason')
    this.#ended = true
    return [{ type: 'end' }]
  }

  /** Each is reported once. */
  #cannotHold(...lost: readonly string[]): AnswerEvent[] {
    const fresh = lost.filter(what => !this.#unmodelled.has(what))
    for (const what of fresh) this.#unmodelled.add(what)
    return fresh.map(what => ({ type: 'unmodelled', what }))
  }
}

/** Probabilities come with the text that they are of. */
function withLogprobs(events: AnswerEvent[], logprobs: readonly TokenLogprob[] | undefined): AnswerEvent[] {
  if (!logprobs) return events
  const at = events.findIndex(({ type }) => type === 'text')
  const event = events[at]
  return event?.type === 'text'
    ? events.with(at, { ...event, logprobs })
    : [...events, { type: 'text', text: '', logprobs }]
}

function parsed(text: string): JsonObject {
  let chunk: unknown
  try {
    chunk = withExactMembers(JSON.parse(text), text, ARGUMENTS)
  } catch {
    throw new Error('a chunk is not JSON')
  }
  if (!isObject(chunk)) throw new Error('a chunk is not an object')
  return chunk
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function fault(error: unknown): StreamFault {
  const type = isObject(error) ? (error.type ?? error.code) : undefined
  return new StreamFault(isText(type) ? type : 'error', vendorMessage(error))
}
