import type { AnswerBlock, AnswerEvent, JsonObject, Prompt, ReplyFacts, StreamEncoder } from 'deflector'
import { argsObject } from '../args-object.ts'
import { exactJson } from '../exact-json.ts'
import { freeformArgs } from '../freeform.ts'
import { ObjectEnd } from '../object-end.ts'
import { shownTo } from '../signature.ts'
import { StreamSummary } from '../stream-summary.ts'
import { messageId } from './answer.ts'
import { proofOfCall } from './call-proof.ts'
import { writeCitation } from './citations.ts'
import { eventText } from './events.ts'
import { wireId } from './ids.ts'
import { writeStop } from './stop.ts'
import { guessTokens, writeUsage } from './usage.ts'

/** A block on its way to the client: the first one is open on the wire, those behind it wait. */
interface Draft {
  readonly kind: 'text' | 'reasoning' | 'tool' | 'closed'
  /** As `content_block_start` shows it. */
  readonly block: JsonObject
  /** Identity of a tool call in the canonical stream. */
  readonly call?: number
  /** Follows a tool call's arguments, to tell when it is complete. */
  readonly end: ObjectEnd
  /** Deltas that were not sent yet. */
  readonly waiting: JsonObject[]
  signature?: string
  /** Arguments that are no JSON object: all of them are needed to say them as one. */
  held?: { readonly isText: boolean; args: string }
  /** The first of the arguments came, and said whether they are held. */
  begun?: boolean
}

/** A block of words that another stream has opened on the wire. */
export interface OpenedBlock extends Pick<Draft, 'block'> {
  readonly kind: 'text' | 'reasoning'
}

/**
 * Writes a client's stream. The format lets only one block be open at a time, while other vendors interleave their tool
 * calls; so a call that begins while another is incomplete waits until that one's arguments are a whole JSON object,
 * or the stream ends.
 */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #prompt: Prompt
  readonly #reply: ReplyFacts
  readonly #drafts: Draft[] = []
  readonly #holds = new Set<AnswerBlock['type']>()
  /** Index on the wire of the block that is open, or of the next one. */
  #index = 0
  #isOpen = false
  #started = false
  readonly #summary: StreamSummary
  #characters = 0

  constructor(prompt: Prompt, reply: ReplyFacts) {
    this.#prompt = prompt
    this.#reply = reply
    this.#summary = new StreamSummary(prompt.model)
  }

  push(event: AnswerEvent): string {
    this.#summary.note(event)
    switch (event.type) {
      case 'start':
        return this.#start()
      case 'usage':
      case 'stop':
      case 'unmodelled':
        return ''
      case 'end':
        return this.#start() + this.#flush(true) + this.#finish()
      default:
        this.#take(event)
        return this.#start() + this.#flush(false)
    }
  }

  /** Takes over a stream that another one began with `events`: `index` whole blocks are on the wire, and perhaps an open one. */
  resume(index: number, open: OpenedBlock | undefined, events: readonly AnswerEvent[]): void {
    this.#started = true
    this.#index = index
    for (const { type } of events) if (type === 'text' || type === 'refusal') this.#holds.add(type)
    if (!open) return
    this.#isOpen = true
    this.#add(open.kind, open.block)
  }

  #start(): string {
    if (this.#started) return ''
    this.#started = true
    const { model, usage } = this.#summary
    const message = {
      id: messageId(this.#reply),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeUsage(usage ?? { input: this.#guessInput(), output: 0 }),
    }
    return eventText({ type: 'message_start', message }) + eventText({ type: 'ping' })
  }

  #take(event: Exclude<AnswerEvent, { type: 'start' | 'usage' | 'stop' | 'unmodelled' | 'end' }>): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        if (event.text === '') return
        this.#holds.add(event.type)
        this.#characters += event.text.length
        this.#last('text', EMPTY_TEXT).waiting.push({ type: 'text_delta', text: event.text })
        return
      case 'reasoning':
        if (event.text === '') return
        this.#characters += event.text.length
        this.#last('reasoning', EMPTY_THINKING).waiting.push({ type: 'thinking_delta', thinking: event.text })
        return
      case 'signature':
        if (event.redacted !== undefined)
          this.#add('closed', { type: 'redacted_thinking', data: shownTo('messages', event.redacted, event.origin) })
        if (event.signature !== undefined)
          this.#last('reasoning', EMPTY_THINKING).signature = shownTo('messages', event.signature, event.origin)
        return
      case 'tool_call': {
        this.#holds.add('tool_call')
        const proof = proofOfCall(event)
        if (proof) this.#add('closed', proof)
        const block = { type: 'tool_use', id: wireId(event.id), name: event.name, input: {} }
        const draft = this.#add('tool', block, event.index)
        if (event.kind === 'custom') draft.held = { isText: true, args: '' }
        return
      }
      case 'citation': {
        const citation = writeCitation(event.citation)
        if (citation) this.#last('text', EMPTY_TEXT).waiting.push({ type: 'citations_delta', citation })
        return
      }
      case 'tool_args':
        this.#extend(event.index, event.text)
        return
      case 'opaque':
        if (event.format === 'messages') this.#addWhole(event.value)
    }
  }

  #add(kind: Draft['kind'], block: JsonObject, call?: number): Draft {
    const draft: Draft = { kind, block, end: new ObjectEnd(), waiting: [], ...(call !== undefined && { call }) }
    this.#drafts.push(draft)
    return draft
  }

  /** The last block, if more can go into it. A signature seals reasoning. */
  #last(kind: 'text' | 'reasoning', empty: JsonObject): Draft {
    const last = this.#drafts.at(-1)
    return last?.kind === kind && last.signature === undefined ? last : this.#add(kind, empty)
  }

  #extend(index: number, text: string): void {
    if (text === '') return
    const draft = this.#drafts.find(({ call }) => call === index)
    if (!draft) return // only space can follow arguments that were whole
    this.#characters += text.length
    draft.end.push(text)
    if (!draft.begun && text.trim() !== '') {
      draft.begun = true
      if (!text.trimStart().startsWith('{')) draft.held ??= { isText: false, args: '' }
    }
    if (draft.held) draft.held.args += text
    else draft.waiting.push({ type: 'input_json_delta', partial_json: text })
  }

  /** A block of this very format from another stream. Calls show their input as a delta, all others in the start. */
  #addWhole(value: JsonObject): void {
    if (typeof value.input !== 'object' || value.input === null) {
      this.#add('closed', value)
      return
    }
    const draft = this.#add('closed', { ...value, input: {} })
    draft.waiting.push({ type: 'input_json_delta', partial_json: exactJson(value.input) })
  }

  /** Sends what may be sent: all of the first block, and of the next ones once those before are complete. */
  #flush(isLast: boolean): string {
    let text = ''
    for (let draft = this.#drafts[0]; draft; draft = this.#drafts[0]) {
      if (!this.#isOpen)
        text += eventText({ type: 'content_block_start', index: this.#index, content_block: draft.block })
      this.#isOpen = true
      for (const delta of draft.waiting.splice(0)) text += this.#delta(delta)
      const isComplete = draft.kind === 'closed' || draft.signature !== undefined
      const isFollowed = this.#drafts.length > 1 && (draft.kind !== 'tool' || (draft.end.reached && !draft.held))
      if (!isLast && !isComplete && !isFollowed) break
      if (draft.held) text += this.#delta({ type: 'input_json_delta', partial_json: objectOf(draft.held) })
      if (draft.signature !== undefined) text += this.#delta({ type: 'signature_delta', signature: draft.signature })
      text += eventText({ type: 'content_block_stop', index: this.#index++ })
      this.#isOpen = false
      this.#drafts.shift()
    }
    return text
  }

  #delta(delta: JsonObject): string {
    return eventText({ type: 'content_block_delta', index: this.#index, delta })
  }

  #finish(): string {
    let text = ''
    if (this.#index === 0) {
      // Client libraries read the first block without looking whether there is one.
      text += eventText({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
      text += eventText({ type: 'content_block_stop', index: 0 })
    }
    const { stop } = this.#summary
    const usage = this.#summary.usage ?? { input: this.#guessInput(), output: guessTokens(this.#characters) }
    text += eventText({ type: 'message_delta', delta: writeStop(stop, this.#holds), usage: writeUsage(usage) })
    return text + eventText({ type: 'message_stop' })
  }

  #guessInput(): number {
    return guessTokens(this.#prompt.bytes.length)
  }
}

/** As whole answers say it. */
const objectOf = ({ isText, args }: NonNullable<Draft['held']>): string =>
  exactJson(argsObject(isText ? freeformArgs(args) : args))

const EMPTY_TEXT = { type: 'text', text: '' }
const EMPTY_THINKING = { type: 'thinking', thinking: '', signature: '' }
