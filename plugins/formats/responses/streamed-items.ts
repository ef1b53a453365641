import type { AnswerEvent, JsonObject } from 'deflector'
import { decodeAnnotation, decodeLogprobs } from './annotations.ts'
import { SEVERAL_TEXTS } from './answer.ts'
import { decodeCall } from './decode-items.ts'
import { indexOf, objectOf, textOf } from './event-members.ts'
import { movedBy } from './joined-texts.ts'
import { annotationsOf, lostFromItem, lostFromPart, opaqueItem } from './output-items.ts'
import { BETWEEN, decodeProof, decodeReasoning } from './reasoning.ts'
import type { Seen } from './stop.ts'

/** What has been told of an item so far. */
interface ItemProgress {
  /** Place of a call among the calls of this answer. */
  call?: number
  /** Has any of its text, arguments or reasoning come? */
  begun: boolean
  /** Parts whose text came in pieces, by kind and index. */
  readonly parts: Set<string>
  /** Where its last text begins in the canonical one. */
  from: number
  /** Citations that had an event of their own. */
  cited: number
  done: boolean
}

/** What the events of a stream say of its items, each thing once. */
export class StreamedItems {
  readonly #items = new Map<number, ItemProgress>()
  readonly #unmodelled = new Set<string>()
  #calls = 0
  /** Characters of the canonical text so far. */
  #said = 0
  #refused = false
  /** What the canonical stream told last, to know texts that follow each other apart. */
  #last: AnswerEvent['type'] | undefined

  get seen(): Seen {
    return { calls: this.#calls > 0, refusal: this.#refused }
  }

  /** These events go to the reader. */
  told(events: AnswerEvent[]): AnswerEvent[] {
    for (const { type } of events) if (SAYING.has(type)) this.#last = type
    return events
  }

  added(index: number, item: JsonObject): AnswerEvent[] {
    return isCall(item) ? this.#called(this.#item(index), item) : []
  }

  /** Tells the head of a call, once. */
  #called(progress: ItemProgress, item: JsonObject): AnswerEvent[] {
    if (progress.call !== undefined) return []
    progress.call = this.#calls++
    const { args: _, ...head } = decodeCall(item)
    return [{ ...head, index: progress.call }]
  }

  args(index: number, delta: unknown): AnswerEvent[] {
    const progress = this.#item(index)
    if (progress.call === undefined) throw new Error('arguments belong to no call')
    const text = textOf(delta)
    if (text === '') return []
    progress.begun = true
    return [{ type: 'tool_args', index: progress.call, text }]
  }

  /** Where none came before. A call that was not announced is told whole by its item. */
  allArgs(index: number, args: unknown): AnswerEvent[] {
    const { call, begun } = this.#item(index)
    return begun || call === undefined ? [] : this.args(index, args)
  }

  said(body: JsonObject, type: Saying, delta: unknown, place = 'content_index'): AnswerEvent[] {
    const text = textOf(delta)
    if (text === '') return []
    const item = this.#item(indexOf(body))
    const part = `${type} ${place} ${String(body[place] ?? 0)}`
    const isNew = !item.parts.has(part)
    item.parts.add(part)
    if (type === 'refusal') this.#refused = true
    const logprobs = type === 'text' ? decodeLogprobs(body.logprobs) : undefined
    const events: AnswerEvent[] = isNew ? this.#between(type) : []
    if (type === 'text') {
      if (this.#last !== 'text') this.#said = 0
      if (isNew) item.from = this.#said + (events.length > 0 ? BETWEEN.length : 0)
      this.#said += text.length + (events.length > 0 ? BETWEEN.length : 0)
    }
    item.begun = true
    this.#last = type
    return [...events, { type, text, ...(logprobs && { logprobs }) }]
  }

  /** A text that follows another of its kind is kept apart from it. */
  #between(type: Saying): AnswerEvent[] {
    if (this.#last !== type || type === 'refusal') return []
    return [...(type === 'text' ? this.cannotHold(SEVERAL_TEXTS) : []), { type, text: BETWEEN }]
  }

  /** A part's text, where none of it came before. */
  rest(body: JsonObject, type: Saying, text: unknown, place = 'content_index'): AnswerEvent[] {
    const item = this.#item(indexOf(body))
    return item.parts.has(`${type} ${place} ${String(body[place] ?? 0)}`) ? [] : this.said(body, type, text, place)
  }

  annotation(index: number, annotation: unknown): AnswerEvent[] {
    this.#item(index).cited++
    const citation = decodeAnnotation(annotation)
    const { from } = this.#item(index)
    return citation ? [{ type: 'citation', citation: movedBy(from, citation) }] : this.cannotHold('annotations')
  }

  done(index: number, item: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    if (progress.done) return []
    progress.done = true
    const lost = this.cannotHold(...lostFromItem(item))
    if (isCall(item)) return [...lost, ...this.#closeCall(index, item)]
    if (item.type === 'message') return [...lost, ...this.#closeMessage(index, item)]
    if (item.type === 'reasoning') return this.#closeReasoning(index, item)
    return [opaqueItem(item)]
  }

  #closeCall(index: number, item: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    const head = this.#called(progress, item)
    return [...head, ...(progress.begun ? [] : this.args(index, decodeCall(item).args))]
  }

  #closeMessage(index: number, { content }: JsonObject): AnswerEvent[] {
    const progress = this.#item(index)
    const parts: unknown[] = Array.isArray(content) ? content : []
    return parts.flatMap((value, content_index) => {
      const part = objectOf(value)
      const at = { output_index: index, content_index, logprobs: part.logprobs }
      const said = part.type === 'refusal' ? this.rest(at, 'refusal', part.refusal) : this.rest(at, 'text', part.text)
      const cited = annotationsOf(part)
      const late = progress.cited === 0 ? cited.flatMap(each => decodeAnnotation(each) ?? []) : []
      return [
        ...said,
        ...late.map((citation): AnswerEvent => ({ type: 'citation', citation: movedBy(progress.from, citation) })),
        ...this.cannotHold(...lostFromPart(part)),
      ]
    })
  }

  #closeReasoning(index: number, item: JsonObject): AnswerEvent[] {
    const { begun } = this.#item(index)
    const { text } = decodeReasoning(item)
    const said = begun ? [] : this.said({ output_index: index }, 'reasoning', text)
    const proof = decodeProof(textOf(item.encrypted_content), text)
    return proof.signature === undefined && proof.redacted === undefined
      ? said
      : [...said, { ...proof, type: 'signature' }]
  }

  #item(index: number): ItemProgress {
    let item = this.#items.get(index)
    if (!item) {
      item = { begun: false, parts: new Set(), from: 0, cited: 0, done: false }
      this.#items.set(index, item)
    }
    return item
  }

  /** Each is reported once. */
  cannotHold(...lost: readonly string[]): AnswerEvent[] {
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

const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'
