import type { AnswerBlock, JsonObject, ReasoningBlock } from 'deflector'
import { shownTo } from '../signature.ts'

const FORMAT = 'chat-completions'

/**
 * Some vendors sign words that were said. A detail cannot tell where it stands, so such a signature says that it comes
 * after the words; `proofOfWords` reads it when a client brings it back.
 */
const OF_WORDS = 'words:'

export const proofOfWords = (signature: string): string | undefined =>
  signature.startsWith(OF_WORDS) ? signature.slice(OF_WORDS.length) : undefined

/** Writes the details of one answer, in order. Each has its index: clients join the lists of several chunks by it. */
export class DetailWriter {
  #next = 0
  /** Was something said since the model thought? */
  #said = false

  /** Words of the answer, or of its reasoning. */
  note({ type, text }: { readonly type: 'text' | 'refusal' | 'reasoning'; readonly text: string }): void {
    if (text !== '') this.#said = type !== 'reasoning'
  }

  write({ text, signature, redacted, origin }: Omit<ReasoningBlock, 'type'>): JsonObject {
    const index = this.#next++
    if (redacted !== undefined) return { type: 'reasoning.encrypted', data: shownTo(FORMAT, redacted, origin), index }
    if (signature === undefined) return { type: 'reasoning.text', text, index }
    const isOfWords = this.#said && origin !== undefined && origin !== FORMAT
    const proof = shownTo(FORMAT, isOfWords ? OF_WORDS + signature : signature, origin)
    return { type: 'reasoning.text', text, signature: proof, index }
  }
}

/** Fields of an answer's message for its reasoning; details only when there is a proof to carry. */
export function encodeReasoning(blocks: readonly AnswerBlock[]): JsonObject {
  const writer = new DetailWriter()
  const details: JsonObject[] = []
  let text = ''
  let isProven = false
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'refusal' || block.type === 'reasoning') writer.note(block)
    if (block.type !== 'reasoning') continue
    text += block.text
    isProven ||= block.signature !== undefined || block.redacted !== undefined
    details.push(writer.write(block))
  }
  return { ...(text !== '' && { reasoning_content: text }), ...(isProven && { reasoning_details: details }) }
}
