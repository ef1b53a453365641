import type { Citation, JsonObject, TokenLogprob } from 'deflector'
import { encodeAnnotation, encodeLogprob } from './annotations.ts'
import type { ItemEvent, ItemStatus, StreamItem } from './stream-item.ts'

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
  readonly #more: JsonObject
  readonly #due: ItemEvent[] = []
  readonly #content: JsonObject[] = []
  #open: Part | undefined
  /** Where the text block that is being said begins in its part. */
  #from = 0

  /** `more`: what its vendor says of it beside its words. */
  constructor(id: string, more: JsonObject = {}) {
    this.#id = id
    this.#more = more
  }

  get begun(): JsonObject {
    return { id: this.#id, type: 'message', status: 'in_progress', role: 'assistant', content: [], ...this.#more }
  }

  /** Index of the part that is open, or of the next one. */
  get part(): number {
    return this.#content.length
  }

  /** What is said next is another text block, though perhaps no other part. */
  beginBlock(): void {
    this.#from = this.#open?.text.length ?? 0
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
    const annotation = encodeAnnotation(citation, this.#from, open.text.length)
    if (!annotation) return
    this.#tell('response.output_text.annotation.added', { annotation_index: open.annotations.length, annotation })
    open.annotations.push(annotation)
  }

  take(): ItemEvent[] {
    return this.#due.splice(0)
  }

  close(): ItemEvent[] {
    this.closePart()
    return this.take()
  }

  done(status: ItemStatus): JsonObject {
    return { ...this.begun, status, content: this.#content }
  }

  #part(kind: 'text' | 'refusal'): Part {
    if (this.#open?.kind === kind) return this.#open
    this.closePart()
    this.#open = { kind, text: '', annotations: [], logprobs: [] }
    this.#tell('response.content_part.added', { part: this.#shown() })
    return this.#open
  }

  /** What is said next belongs to another part. */
  closePart(): void {
    const open = this.#open
    if (!open) return
    const { kind, text, logprobs } = open
    if (kind === 'text') this.#tell('response.output_text.done', { text, logprobs })
    else this.#tell('response.refusal.done', { refusal: text })
    const part = this.#shown()
    this.#tell('response.content_part.done', { part })
    this.#content.push(part)
    this.#open = undefined
    this.#from = 0
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
