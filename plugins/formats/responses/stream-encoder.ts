import type { AnswerEvent, JsonObject, Prompt, ReplyFacts, StreamEncoder } from 'deflector'
import { hiddenProof } from '../call-proof.ts'
import { StreamSummary } from '../stream-summary.ts'
import { endsText } from '../text-block.ts'
import { CallItem } from './call-item.ts'
import { CalledTools } from './called-tools.ts'
import { eventText } from './events.ts'
import { ItemIds } from './item-ids.ts'
import { MessageItem } from './message-item.ts'
import { OpaqueItem } from './opaque-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import { responseHead, responseObject } from './response-object.ts'
import { encodeStop } from './stop.ts'
import type { ItemEvent, StreamItem } from './stream-item.ts'

/** A stream that another one has begun on the wire. */
export interface BegunStream {
  /** Of all its response objects. */
  readonly head: JsonObject
  /** The number of its next event. */
  readonly number: number
  /** The items that are done. */
  readonly output: readonly JsonObject[]
  readonly refused: boolean
  readonly open?: OpenItem | undefined
}

export interface OpenItem {
  readonly item: StreamItem
  /** The events that began and closed parts of it, see `placeOf`. */
  readonly told: ReadonlySet<string>
}

/** An event of an item that comes once at most for each part of it. */
export const placeOf = ({ type, content_index, summary_index }: JsonObject): string =>
  `${String(type)} ${String(content_index ?? summary_index ?? 0)}`

/**
 * Writes a client's stream. Items come one after the other, while other vendors interleave their calls; so an item that
 * begins while a call is incomplete waits until that one's arguments are whole, or the stream ends.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #prompt: Prompt
  readonly #reply: ReplyFacts
  readonly #tools: CalledTools
  readonly #ids: ItemIds
  /** The first one is open on the wire, those behind it wait. */
  readonly #items: StreamItem[] = []
  readonly #calls = new Map<number, CallItem>()
  readonly #output: JsonObject[] = []
  #isOpen = false
  #head: JsonObject | undefined
  #number = 0
  readonly #summary = new StreamSummary()
  #refused = false
  /** What another stream has told of the item that is open. */
  #told: ReadonlySet<string> | undefined

  constructor(prompt: Prompt, reply: ReplyFacts) {
    this.#prompt = prompt
    this.#reply = reply
    this.#tools = new CalledTools(prompt)
    this.#ids = new ItemIds(reply)
  }

  /** Goes on with a stream that another one began. */
  resume({ head, number, output, refused, open }: BegunStream): void {
    this.#head = head
    this.#number = number
    this.#output.push(...output)
    this.#refused = refused
    if (!open) return
    this.#isOpen = true
    this.#told = open.told
    this.#add(open.item)
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

  #start(): string {
    if (this.#head) return ''
    this.#head = responseHead(this.#summary.model, this.#reply, this.#prompt)
    const response = responseObject(this.#head, { status: 'in_progress', output: [] })
    return this.#write({ type: 'response.created', response }) + this.#write({ type: 'response.in_progress', response })
  }

  #take(event: Exclude<AnswerEvent, { type: 'start' | 'usage' | 'stop' | 'unmodelled' | 'end' }>): void {
    const last = this.#items.at(-1)
    if (last instanceof MessageItem && endsText(event)) last.beginBlock()
    switch (event.type) {
      case 'text':
        if (event.text !== '') this.#message().text(event.text, event.logprobs)
        return
      case 'citation':
        this.#message().cite(event.citation)
        return
      case 'refusal':
        this.#refused = true
        if (event.text !== '') this.#message().refusal(event.text)
        return
      case 'reasoning':
        if (event.text !== '') this.#reasoning().text(event.text)
        return
      case 'signature': {
        const item =
          event.redacted === undefined ? this.#reasoning() : this.#add(new ReasoningItem(this.#ids.next('rs')))
        item.seal(event)
        return
      }
      case 'tool_call': {
        const proof = hiddenProof(event)
        if (proof) this.#add(new ReasoningItem(this.#ids.next('rs'), proof))
        const call = { id: event.id, ...this.#tools.named(event) }
        const item = new CallItem(this.#ids.next(call.kind === 'custom' ? 'ctc' : 'fc'), call)
        this.#calls.set(event.index, item)
        this.#add(item)
        return
      }
      case 'tool_args':
        this.#calls.get(event.index)?.extend(event.text)
        return
      case 'opaque':
        if (event.format === 'responses') this.#add(new OpaqueItem(event.value))
    }
  }

  #add<Item extends StreamItem>(item: Item): Item {
    this.#items.push(item)
    return item
  }

  #message(): MessageItem {
    const last = this.#items.at(-1)
    return last instanceof MessageItem ? last : this.#add(new MessageItem(this.#ids.next('msg')))
  }

  /** Reasoning that is not sealed yet. */
  #reasoning(): ReasoningItem {
    const last = this.#items.at(-1)
    return last instanceof ReasoningItem && !last.complete ? last : this.#add(new ReasoningItem(this.#ids.next('rs')))
  }

  /** Sends what may be sent: all of the first item, and of the next ones once those before are complete. */
  #flush(isLast: boolean): string {
    let text = ''
    for (let item = this.#items[0]; item; item = this.#items[0]) {
      const output_index = this.#output.length
      const tell = (events: readonly ItemEvent[]): void => {
        for (const event of events)
          if (!this.#told?.has(placeOf(event))) text += this.#write({ ...event, output_index })
      }
      if (!this.#isOpen) tell([{ type: 'response.output_item.added', item: item.begun }])
      this.#isOpen = true
      tell(item.take())
      const isFollowed = this.#items.length > 1 && !(item instanceof CallItem)
      if (!isLast && !item.complete && !isFollowed) break
      tell(item.close())
      const isCut = isLast && this.#items.length === 1 && this.#ending().status === 'incomplete'
      const done = item.done(isCut ? 'incomplete' : 'completed')
      tell([{ type: 'response.output_item.done', item: done }])
      this.#output.push(done)
      this.#items.shift()
      this.#isOpen = false
      this.#told = undefined
    }
    return text
  }

  #finish(): string {
    const { status, incomplete_details } = this.#ending()
    const facts = { status: String(status), incomplete_details, output: this.#output, usage: this.#summary.usage }
    return this.#write({ type: `response.${status}`, response: responseObject(this.#head ?? {}, facts) })
  }

  #ending(): JsonObject {
    return encodeStop(this.#summary.stop, { calls: this.#calls.size > 0, refusal: this.#refused })
  }

  #write(event: ItemEvent): string {
    const { type, ...rest } = event
    return eventText({ type, sequence_number: this.#number++, ...rest })
  }
}
