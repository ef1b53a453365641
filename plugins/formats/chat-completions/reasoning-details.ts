import { type AnswerBlock, isObject, type JsonObject, type ReasoningBlock } from 'deflector'
import { shownTo } from '../signature.ts'

const FORMAT = 'chat-completions'

/**
 * Some vendors sign words that were said. A detail cannot tell where it stands, so such a signature says that it comes
 * after the words; `proofOfWords` reads it when a client brings it back.
 */
const OF_WORDS = 'words:'

export const proofOfWords = (signature: string): string | undefined =>
  signature.startsWith(OF_WORDS) ? signature.slice(OF_WORDS.length) : undefined

/**
 * Clients keep the pieces of `reasoning_content` as one text, or the last of them alone. So a signature in a stream has
 * what was thought with it: `thought:<characters>:<text><signature>`.
 */
const OF_THOUGHT = /^thought:(\d+):/

const withThought = (thought: string, signature: string): string => `thought:${thought.length}:${thought}${signature}`

export function proofOfThought(proof: string): Required<Pick<ReasoningBlock, 'text' | 'signature'>> | undefined {
  const [head, length] = OF_THOUGHT.exec(proof) ?? []
  if (head === undefined) return undefined
  const end = head.length + Number(length)
  return { text: proof.slice(head.length, end), signature: proof.slice(end) }
}

/** The details that are not among those `seen`: a stream may say one again, and some clients join its lists. */
export const newDetails = (details: unknown, seen = new Set<string>()): JsonObject[] =>
  (Array.isArray(details) ? details : []).filter((detail): detail is JsonObject => {
    if (!isObject(detail)) return false
    const { index, signature, data } = detail
    const proof = signature ?? data
    if (typeof index !== 'number' || typeof proof !== 'string') return true
    const key = `${index} ${proof}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })

/** Writes the details of one answer, in order. Each has its index: clients join the lists of several chunks by it. */
export class DetailWriter {
  #next = 0
  /** Was something said since the model thought? */
  #said = false

  /** Words of the answer, or of its reasoning. */
  note({ type, text }: { readonly type: 'text' | 'refusal' | 'reasoning'; readonly text: string }): void {
    if (text !== '') this.#said = type !== 'reasoning'
  }

  /** `thought`: what the signature is of, where the detail does not say it itself. */
  write({ text, signature, redacted, origin }: Omit<ReasoningBlock, 'type'>, thought = ''): JsonObject {
    const index = this.#next++
    if (redacted !== undefined) return { type: 'reasoning.encrypted', data: shownTo(FORMAT, redacted, origin), index }
    if (signature === undefined) return { type: 'reasoning.text', text, index }
    const isForeign = origin !== undefined && origin !== FORMAT
    const inner = this.#said ? OF_WORDS + signature : thought === '' ? signature : withThought(thought, signature)
    return { type: 'reasoning.text', text, signature: shownTo(FORMAT, isForeign ? inner : signature, origin), index }
  }
}

/** Writes the details of one stream, where a proof follows what was thought. */
export class DetailStream {
  readonly #writer = new DetailWriter()
  #thought: string[] = []
  /** Of the stream so far, and how many lists they are. */
  #all: JsonObject[] = []
  #lists = 0
  /** Proofs in a row are said together. */
  #waiting: JsonObject[] = []

  note(event: Parameters<DetailWriter['note']>[0]): void {
    this.#writer.note(event)
    if (event.text === '') return
    if (event.type === 'reasoning') this.#thought.push(event.text)
    else this.#thought = []
  }

  prove(proof: Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>): void {
    const thought = this.#thought.join('')
    this.#thought = []
    this.#waiting.push(this.#writer.write({ ...proof, text: '' }, thought))
  }

  /** Those that have not been said. */
  take(): readonly JsonObject[] {
    const details = this.#waiting
    if (details.length === 0) return details
    this.#waiting = []
    this.#lists++
    this.#all.push(...details)
    return details
  }

  /** At the end: all of them where they were several lists, because some clients keep the last one only. */
  rest(): readonly JsonObject[] {
    const last = this.take()
    return this.#lists > 1 ? this.#all : last
  }

  /** The client has what came so far. */
  forget(): void {
    this.#thought = []
    this.#all = []
    this.#waiting = []
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
