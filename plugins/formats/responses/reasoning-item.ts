import type { JsonObject, ReasoningBlock } from 'deflector'
import { encodeProof, summaryOf } from './reasoning.ts'
import type { ItemEvent, StreamItem } from './stream-item.ts'

type Proof = Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>

/** Reasoning, and its vendor's proof of it. */
export class ReasoningItem implements StreamItem {
  readonly #id: string
  readonly #due: ItemEvent[] = []
  #text = ''
  #proof: Proof | undefined

  /** With a proof it is complete from the beginning. */
  constructor(id: string, proof?: Proof) {
    this.#id = id
    this.#proof = proof
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

  seal(proof: Proof): void {
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
