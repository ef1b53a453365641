import {
  type AnswerEvent,
  type Asked,
  type Citation,
  isObject,
  type JsonObject,
  type Prompt,
  type ReplyFacts,
  type Stop,
  type StreamEncoder,
  type TokenLogprob,
} from 'deflector'
import { encodeLogprob } from '../logprobs.ts'
import { StreamSummary } from '../stream-summary.ts'
import { endsText } from '../text-block.ts'
import { replyId } from './answer.ts'
import { encodeProof } from './call-proof.ts'
import { encodeCitation } from './citations.ts'
import { extrasDelta } from './extras.ts'
import { asksOldForm, oldStop } from './old-form.ts'
import { DetailStream } from './reasoning-details.ts'
import { encodeStop } from './stop.ts'
import { encodeUsage } from './usage.ts'

/** Did this client ask for the chunk with the usage? */
export function asksUsage({ body }: Asked): boolean {
  const options = body.stream_options
  return isObject(options) && options.include_usage === true
}

/** What every chunk of a stream says. */
interface ChunkFacts {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
}

interface WrittenCall {
  /** Its index on the wire. */
  readonly place: number
  readonly kind: keyof typeof INPUT
  /** Have its arguments begun? */
  written: boolean
}

/** What each kind of call calls its text. */
const INPUT = { function: 'arguments', custom: 'input' } as const

/** Writes one client's chunks: role, deltas, finish reason, usage if asked, `[DONE]`. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #wantsUsage: boolean
  /** Does the client read one call alone, in `function_call`? */
  readonly #isOld: boolean
  readonly #facts: Omit<ChunkFacts, 'model'>
  /** By the index of its events. */
  readonly #calls = new Map<number, WrittenCall>()
  readonly #summary: StreamSummary
  readonly #proofs = new DetailStream()
  #refused = false
  /** Where the text began that a citation would be of, and how long it is. */
  #from = 0
  #length = 0
  #cited = false
  /** Where the text block begins that a place in it counts from. */
  #block = 0
  #said = 0
  #opened = false
  #stopped = false

  /** `known`: what the chunks before have said of themselves, where another one began the stream. */
  constructor(prompt: Prompt, reply: ReplyFacts, known?: ChunkFacts) {
    this.#wantsUsage = asksUsage(prompt)
    this.#isOld = asksOldForm(prompt.body)
    this.#facts = known ?? { id: replyId(reply), object: 'chat.completion.chunk', created: reply.created }
    this.#summary = new StreamSummary(known?.model ?? prompt.model)
  }

  /** Takes over a stream of which these events are on the wire. */
  resume(events: readonly AnswerEvent[]): void {
    for (const event of events) this.push(event)
    this.#proofs.forget()
  }

  push(event: AnswerEvent): string {
    this.#summary.note(event)
    if (event.type === 'text' || event.type === 'refusal' || event.type === 'reasoning') this.#proofs.note(event)
    if (endsText(event)) {
      this.#block = this.#said
      this.#cited = true
    }
    switch (event.type) {
      case 'start':
      case 'usage':
      case 'unmodelled':
        return ''
      case 'signature':
        this.#proofs.prove(event)
        return ''
      case 'stop':
      case 'end':
        return this.#write(event)
      default:
        return this.#proven(this.#proofs.take()) + this.#write(event)
    }
  }

  #write(event: Exclude<AnswerEvent, { type: 'start' | 'usage' | 'unmodelled' | 'signature' }>): string {
    switch (event.type) {
      case 'text':
        return this.#text(event.text, event.logprobs)
      case 'reasoning':
        return event.text === '' ? '' : this.#say({ reasoning_content: event.text })
      case 'refusal':
        this.#refused = true
        return event.text === '' ? '' : this.#say({ refusal: event.text })
      case 'tool_call':
        return this.#call(event)
      case 'tool_args':
        return this.#args(event.index, event.text)
      case 'opaque': {
        const delta = extrasDelta(event)
        return delta ? this.#say(delta) : ''
      }
      case 'stop':
        return this.#stop(event.stop)
      case 'end':
        return `${this.#stop({ reason: 'unknown' })}${this.#usageChunk()}data: [DONE]\n\n`
      case 'citation':
        return this.#cite(event.citation)
    }
  }

  #text(text: string, logprobs: readonly TokenLogprob[] = []): string {
    if (text === '' && logprobs.length === 0) return ''
    if (this.#cited) this.#from += this.#length
    if (this.#cited) this.#length = 0
    this.#cited = false
    this.#length += text.length
    this.#said += text.length
    const told = logprobs.length === 0 ? null : { content: logprobs.map(encodeLogprob), refusal: null }
    return this.#open('') + this.#delta({ content: text }, { logprobs: told })
  }

  /** A vendor that cites whole blocks means the text since it cited the last time. */
  #cite(citation: Citation): string {
    this.#cited = true
    const isPlaced = citation.start !== undefined
    const annotations = encodeCitation(citation, isPlaced ? this.#block : this.#from, this.#length)
    return annotations.length === 0 ? '' : this.#say({ annotations })
  }

  #proven(details: readonly JsonObject[]): string {
    return details.length === 0 ? '' : this.#say({ reasoning_details: details })
  }

  #call(event: Extract<AnswerEvent, { type: 'tool_call' }>): string {
    const place = this.#calls.size
    const { id, name, kind = 'function' } = event
    if (this.#isOld && place > 0) return ''
    // A free text may be empty; arguments may not.
    this.#calls.set(event.index, { place, kind, written: kind === 'custom' })
    const said = { name, [INPUT[kind]]: '' }
    if (this.#isOld) return this.#say({ function_call: said })
    return this.#say({ tool_calls: [{ index: place, id, type: kind, [kind]: said, ...encodeProof(event) }] })
  }

  #args(index: number, text: string): string {
    const call = this.#calls.get(index)
    if (!call || text === '') return ''
    if (text.trim() !== '') call.written = true
    const { place, kind } = call
    const piece = { [INPUT[kind]]: text }
    return this.#delta(this.#isOld ? { function_call: piece } : { tool_calls: [{ index: place, [kind]: piece }] })
  }

  #stop(stop: Stop): string {
    if (this.#stopped) return ''
    this.#stopped = true
    // Only now is it sure that nothing follows, as pieces of several calls may alternate.
    let text = this.#proven(this.#proofs.rest()) + this.#open('')
    for (const [index, call] of this.#calls) if (!call.written) text += this.#args(index, '{}')
    const word = encodeStop(stop, { calls: this.#calls.size > 0, refusal: this.#refused })
    return text + this.#delta({}, { finish: this.#isOld ? oldStop(word) : word })
  }

  /** The first chunk. Clients take an empty text for the beginning of one, so an answer that begins with calls has none. */
  #open(content: '' | null): string {
    if (this.#opened) return ''
    this.#opened = true
    return this.#delta({ role: 'assistant', content, refusal: null })
  }

  #say(delta: JsonObject): string {
    return this.#open(null) + this.#delta(delta)
  }

  #delta(
    delta: JsonObject,
    { finish = null, logprobs = null }: { finish?: string | null; logprobs?: JsonObject | null } = {},
  ): string {
    return this.#chunk([{ index: 0, delta, logprobs, finish_reason: finish }], null)
  }

  #usageChunk(): string {
    const { usage } = this.#summary
    return this.#wantsUsage && usage ? this.#chunk([], encodeUsage(usage)) : ''
  }

  #chunk(choices: readonly JsonObject[], usage: JsonObject | null): string {
    const { model, usage: { tier } = {} } = this.#summary
    const service = tier === undefined ? {} : { service_tier: tier }
    const chunk = { ...this.#facts, model, ...service, choices, ...(this.#wantsUsage && { usage }) }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
}
