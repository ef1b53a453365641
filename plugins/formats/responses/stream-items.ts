import type { Citation, JsonObject, ReasoningBlock, TokenLogprob, ToolCallBlock } from 'deflector'
import { ObjectEnd } from '../object-end.ts'
import { encodeAnnotation, encodeLogprob } from './annotations.ts'
import { shortName } from './names.ts'
import { encodeProof, summaryOf } from './reasoning.ts'

/** An event of an item, without its place in the stream. */
export type ItemEvent = JsonObject & { readonly type: string }

/** How an item ends: an answer that was cut off leaves its last one incomplete. */
export type ItemStatus = 'completed' | 'incomplete'

/**
 * One item of an answer on its way to a client. It tells its events as they become due: those between `added` and `done`
 * wait until the items before it are complete.
 */
export interface StreamItem {
  /** As `output_item.added` shows it. */
  readonly begun: JsonObject
  /** Is nothing more to come? Known only of calls with arguments, and of what came whole. */
  readonly complete: boolean
  /** The events that are due. */
  take(): ItemEvent[]
  /** The events that close it. */
  close(): ItemEvent[]
  /** The whole item, as `output_item.done` and the response show it. */
  done(status: ItemStatus): JsonObject
}

/** A part of a message that is being said. */
interface Part {
  readonly kind: 'text' | 'refusal'
  text: string
  readonly annotations: JsonObject[]
  readonly logprobs: JsonObject[]
}

/** Words of the model, refusals among them. */
export class MessageItem implements StreamItem {
  readonly complete = false
  readonly #id: string
  readonly #due: ItemEvent[] = []
  readonly #content: JsonObject[] = []
  #open: Part | undefined

  constructor(id: string) {
    this.#id = id
  }

  get begun(): JsonObject {
    return { id: this.#id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  }

  text(delta: string, logprobs: readonly TokenLogprob[] = []): void {
    const open = this.#part('text')
    open.text += delta
    const told = logprobs.map(encodeLogprob)
    open.logprobs.push(...told)
    this.#tell('response.output_text.delta', { delta, logprobs: told })
  }

  refusal(delta: string): void {
    this.#part('refusal').text += delta
    this.#tell('response.refusal.delta', { delta })
  }

  cite(citation: Citation): void {
    const open = this.#part('text')
    const annotation = encodeAnnotation(citation, open.text.length)
    if (!annotation) return
    this.#tell('response.output_text.annotation.added', { annotation_index: open.annotations.length, annotation })
    open.annotations.push(annotation)
  }

  take(): ItemEvent[] {
    return this.#due.splice(0)
  }

  close(): ItemEvent[] {
    this.#closePart()
    return this.take()
  }

  done(status: ItemStatus): JsonObject {
    return { ...this.begun, status, content: this.#content }
  }

  #part(kind: 'text' | 'refusal'): Part {
    if (this.#open?.kind === kind) return this.#open
    this.#closePart()
    this.#open = { kind, text: '', annotations: [], logprobs: [] }
    this.#tell('response.content_part.added', { part: this.#shown() })
    return this.#open
  }

  #closePart(): void {
    const open = this.#open
    if (!open) return
    const { kind, text, logprobs } = open
    if (kind === 'text') this.#tell('response.output_text.done', { text, logprobs })
    else this.#tell('response.refusal.done', { refusal: text })
    const part = this.#shown()
    this.#tell('response.content_part.done', { part })
    this.#content.push(part)
    this.#open = undefined
  }

  #shown(): JsonObject {
    const { kind, text = '', annotations = [], logprobs = [] } = this.#open ?? {}
    if (kind === 'refusal') return { type: 'refusal', refusal: text }
    return { type: 'output_text', annotations: [...annotations], logprobs: [...logprobs], text }
  }

  #tell(type: string, more: JsonObject): void {
    this.#due.push({ type, item_id: this.#id, content_index: this.#content.length, ...more })
  }
}

/** Reasoning, and its vendor's proof of it. */
export class ReasoningItem implements StreamItem {
  readonly #id: string
  readonly #due: ItemEvent[] = []
  #text = ''
  #proof: Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'> | undefined

  constructor(id: string) {
    this.#id = id
  }

  get begun(): JsonObject {
    return { id: this.#id, type: 'reasoning', summary: [] }
  }

  /** A proof seals it. */
  get complete(): boolean {
    return this.#proof !== undefined
  }

  text(delta: string): void {
    if (this.#text === '') this.#tell('part.added', { part: { type: 'summary_text', text: '' } })
    this.#text += delta
    this.#tell('text.delta', { delta })
  }

  seal(proof: Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>): void {
    this.#proof = proof
  }

  take(): ItemEvent[] {
    return this.#due.splice(0)
  }

  close(): ItemEvent[] {
    const text = this.#text
    if (text !== '') {
      this.#tell('text.done', { text })
      this.#tell('part.done', { part: { type: 'summary_text', text } })
    }
    return this.take()
  }

  done(): JsonObject {
    const encrypted = this.#proof && encodeProof(this.#proof)
    return {
      ...this.begun,
      summary: summaryOf(this.#text),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    }
  }

  #tell(what: string, more: JsonObject): void {
    this.#due.push({ type: `response.reasoning_summary_${what}`, item_id: this.#id, summary_index: 0, ...more })
  }
}

type Call = Pick<ToolCallBlock, 'id' | 'name' | 'kind' | 'namespace'>

/** A call of a function or of a free-form tool. */
export class CallItem implements StreamItem {
  readonly #id: string
  readonly #call: Call
  readonly #end = new ObjectEnd()
  #args = ''
  #told = 0

  constructor(id: string, call: Call) {
    this.#id = id
    this.#call = call
  }

  get begun(): JsonObject {
    const { id, name, kind, namespace } = this.#call
    const about = {
      call_id: id,
      name: shortName(name, namespace),
      ...(namespace !== undefined && { namespace }),
    }
    if (kind === 'custom') return { id: this.#id, type: 'custom_tool_call', status: 'in_progress', ...about, input: '' }
    return { id: this.#id, type: 'function_call', status: 'in_progress', ...about, arguments: '' }
  }

  /** Free text has no end that could be seen. */
  get complete(): boolean {
    return this.#call.kind !== 'custom' && this.#end.reached
  }

  extend(text: string): void {
    this.#args += text
    this.#end.push(text)
  }

  take(): ItemEvent[] {
    if (this.#isBlank) return []
    const delta = this.#args.slice(this.#told)
    this.#told = this.#args.length
    return delta === '' ? [] : [this.#delta(delta)]
  }

  close(): ItemEvent[] {
    const text = this.#text
    const rest = this.#isBlank ? text : this.#args.slice(this.#told)
    const last = rest === '' ? [] : [this.#delta(rest)]
    if (this.#call.kind === 'custom')
      return [...last, { type: 'response.custom_tool_call_input.done', item_id: this.#id, input: text }]
    const { name, namespace } = this.#call
    return [
      ...last,
      {
        type: 'response.function_call_arguments.done',
        item_id: this.#id,
        name: shortName(name, namespace),
        arguments: text,
      },
    ]
  }

  done(status: ItemStatus): JsonObject {
    const { kind } = this.#call
    return { ...this.begun, status, [kind === 'custom' ? 'input' : 'arguments']: this.#text }
  }

  /** All of it. Nothing at all means no arguments, and only `{}` says so to everybody. */
  get #text(): string {
    return this.#call.kind === 'custom' || !this.#isBlank ? this.#args : '{}'
  }

  get #isBlank(): boolean {
    return this.#call.kind !== 'custom' && this.#args.trim() === ''
  }

  #delta(delta: string): ItemEvent {
    const what = this.#call.kind === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments'
    return { type: `response.${what}.delta`, item_id: this.#id, delta }
  }
}

/** An item that its vendor's dialect alone knows, as it came. */
export class OpaqueItem implements StreamItem {
  readonly complete = true

  constructor(readonly begun: JsonObject) {}

  take(): ItemEvent[] {
    return []
  }

  close(): ItemEvent[] {
    return []
  }

  done(): JsonObject {
    return this.begun
  }
}
