import { type AnswerEvent, type Citation, isObject, type JsonObject, type Stop, type TokenLogprob } from 'deflector'
import { z } from 'zod'
import { exactJson } from '../exact-json.ts'
import { freshId } from '../fresh-id.ts'
import { madeId } from './call-ids.ts'
import { readCitations } from './citations.ts'
import { readLogprobs } from './logprobs.ts'
import { hiddenDeed, isOwnDeed } from './own-deeds.ts'
import { OWN, readProof } from './proof.ts'
import { isFailure, readStop } from './stop.ts'
import { lostFromCandidate } from './unmodelled.ts'

const call = z.looseObject({
  id: z.string().optional().catch(undefined),
  name: z.string(),
  args: z.unknown().optional(),
})

/** Reads one candidate, whole or in pieces: each piece is a candidate of its own that holds the next parts. */
export class CandidateReader {
  /** What names the answer in the ids of its calls. */
  readonly #answer: string
  #calls = 0
  #text = ''
  /** Where its last block begins, to which what is cited is told. */
  #from = 0
  #isOpen = false
  #lastIsText = false
  #reason: unknown
  /** Is a call in pieces open? */
  #goesOn = false
  /** The piece that told where the answer comes from; the last one knows best. */
  #sources: JsonObject = {}
  readonly #lost = new Set<string>()

  constructor(responseId: string) {
    this.#answer = responseId || freshId()
  }

  get finished(): boolean {
    return this.#reason !== undefined
  }

  /** A failure of the model, which is told at once so that another attempt can be made. */
  get gaveUp(): Stop | undefined {
    return isFailure(this.#reason) ? readStop(this.#reason, false) : undefined
  }

  /** The events of one piece. Throws an `Error` on what is no candidate. */
  read(candidate: JsonObject): AnswerEvent[] {
    const { content, finishReason } = candidate
    const parts: unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : []
    const tokens = readLogprobs(candidate.logprobsResult)
    const events = parts.flatMap(part => (isObject(part) ? this.#part(part) : []))
    const { groundingMetadata, citationMetadata } = candidate
    if (isObject(groundingMetadata)) this.#sources = { ...this.#sources, groundingMetadata }
    if (isObject(citationMetadata)) this.#sources = { ...this.#sources, citationMetadata }
    for (const what of lostFromCandidate(candidate)) {
      if (this.#lost.has(what)) continue
      this.#lost.add(what)
      events.push({ type: 'unmodelled', what })
    }
    if (typeof finishReason === 'string' && finishReason !== '') this.#reason = finishReason
    return tokens.length > 0 ? this.#withTokens(events, tokens) : events
  }

  /** What can be said only now. */
  rest(): { readonly events: readonly AnswerEvent[]; readonly stop: Stop } {
    const citations = readCitations(this.#sources, this.#text).map(citation => inBlock(citation, this.#from))
    const events = citations.map(
      (citation): AnswerEvent =>
        this.#lastIsText ? { type: 'citation', citation } : { type: 'unmodelled', what: 'citations' },
    )
    return { events, stop: readStop(this.#reason, this.#calls > 0) }
  }

  #part(part: JsonObject): AnswerEvent[] {
    const { text, thought, thoughtSignature, functionCall } = part
    const proof = readProof(thoughtSignature)
    const signature: AnswerEvent[] = proof.origin === undefined ? [] : [{ type: 'signature', ...proof }]
    if (typeof text === 'string') {
      if (text === '') return signature
      if (thought === true) {
        this.#isOpen = false
        return [{ type: 'reasoning', text }, ...signature]
      }
      if (!this.#isOpen) this.#from = this.#text.length
      this.#isOpen = signature.length === 0
      this.#text += text
      this.#lastIsText = true
      return [{ type: 'text', text }, ...signature]
    }
    this.#isOpen = false
    if (isObject(functionCall) && this.#isPiece(functionCall)) {
      this.#lastIsText = false
      return [
        { type: 'unmodelled', what: 'a call in pieces' },
        { type: 'opaque', format: OWN, value: part, vital: 'a call in pieces' },
      ]
    }
    if (isObject(functionCall)) {
      this.#lastIsText = false
      return this.#call(functionCall, proof.signature)
    }
    if (Object.keys(part).length === 0) return []
    if (isOwnDeed(part)) return [{ type: 'signature', ...hiddenDeed(part) }]
    const isMedia = isObject(part.inlineData) || isObject(part.fileData)
    return [{ type: 'opaque', format: OWN, value: part, ...(isMedia && { vital: 'an image or another file' }) }]
  }

  /** Arguments may come in pieces, each a path and a value. Only clients of this format put them together. */
  #isPiece({ partialArgs, willContinue }: JsonObject): boolean {
    const is = this.#goesOn || partialArgs !== undefined || willContinue === true
    this.#goesOn = willContinue === true
    return is
  }

  /** A call comes whole. Vendors that give it no id still want to know which result belongs to which. */
  #call(value: JsonObject, signature: string | undefined): AnswerEvent[] {
    const { id, name, args } = call.parse(value)
    const index = this.#calls++
    const own = id || madeId(`${index}_${this.#answer}`)
    return [
      { type: 'tool_call', index, id: own, name, origin: OWN, ...(signature !== undefined && { signature }) },
      { type: 'tool_args', index, text: exactJson(args ?? {}) },
    ]
  }

  /** Probabilities are told of the whole piece. They stay with its words where they spell them. */
  #withTokens(events: AnswerEvent[], tokens: readonly TokenLogprob[]): AnswerEvent[] {
    const at = events.findIndex(({ type }) => type === 'text')
    const event = events[at]
    if (event?.type !== 'text') return [...events, { type: 'unmodelled', what: 'log probabilities' }]
    return events.with(at, { ...event, logprobs: tokens })
  }
}

/** A place in all words as one in their last block; what stands before it has none there. */
function inBlock({ start, end, ...source }: Citation, from: number): Citation {
  if (start === undefined || end === undefined || start < from) return source
  return { ...source, start: start - from, end: end - from }
}
