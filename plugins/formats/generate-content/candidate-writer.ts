import type { AnswerBlock, Citation, JsonObject, Stop, TokenLogprob } from 'deflector'
import { argsObject } from '../args-object.ts'
import { idField } from './call-ids.ts'
import { writeCitations } from './citations.ts'
import { writeLogprobs } from './logprobs.ts'
import { deedIn } from './own-deeds.ts'
import { OWN, type Proof, showProof, UNSIGNED } from './proof.ts'
import { writeStop } from './stop.ts'

type Call = Extract<AnswerBlock, { type: 'tool_call' }>

/** One candidate for a client of this format, whole. */
export class CandidateWriter {
  readonly #parts: JsonObject[] = []
  readonly #facts = new CandidateFacts()

  add(block: AnswerBlock): void {
    switch (block.type) {
      case 'text':
      case 'refusal':
        this.#facts.beginBlock()
        if (block.text !== '') this.#parts.push({ text: block.text })
        this.#facts.say(block.text, block.type)
        if (block.type === 'text') this.#facts.note(block)
        return
      case 'reasoning':
        if (block.text !== '') this.#parts.push({ text: block.text, thought: true })
        this.#sign(block)
        return
      case 'tool_call':
        this.#parts.push(this.#facts.call(block))
        return
      case 'opaque':
        if (block.format === OWN) this.#parts.push(block.value)
    }
  }

  candidate(stop: Stop): JsonObject {
    const content = { ...(this.#parts.length > 0 && { parts: this.#parts }), role: 'model' }
    return { content, index: 0, ...this.#facts.ending(stop) }
  }

  #sign(proof: Proof): void {
    const signed = signedPart(this.#parts.at(-1), proof)
    if (!signed) return
    if (signed.replaces) this.#parts.pop()
    this.#parts.push(signed.part)
  }
}

/**
 * The part with the proof of what was said last: that part itself if it holds words and no proof yet, else one without
 * words. `undefined` where there is no proof.
 */
export function signedPart(
  last: JsonObject | undefined,
  proof: Proof,
): { readonly part: JsonObject; readonly replaces: boolean } | undefined {
  const deed = deedIn(proof)
  if (deed) return { part: deed, replaces: false }
  const shown = showProof(proof)
  if (!('thoughtSignature' in shown)) return undefined
  const takesIt = last !== undefined && typeof last.text === 'string' && last.thoughtSignature === undefined
  if (takesIt && proof.redacted === undefined) return { part: { ...last, ...shown }, replaces: true }
  return { part: { text: '', ...(proof.redacted !== undefined && { thought: true }), ...shown }, replaces: false }
}

/** What the end of a candidate says of all that stood before it. */
export class CandidateFacts {
  #text = ''
  #calls = 0
  #refused = false
  /** Where the text block begins that places in citations count from. */
  #from = 0
  readonly #citations: Citation[] = []
  readonly #logprobs: TokenLogprob[] = []

  say(text: string, type: 'text' | 'refusal'): void {
    this.#text += text
    if (type === 'refusal') this.#refused = true
  }

  /** What is said next is another block. */
  beginBlock(): void {
    this.#from = this.#text.length
  }

  note({
    citations = [],
    logprobs = [],
  }: {
    citations?: readonly Citation[]
    logprobs?: readonly TokenLogprob[]
  }): void {
    const [from, length] = [this.#from, this.#text.length - this.#from]
    for (const { start = 0, end = length, ...source } of citations)
      this.#citations.push({ ...source, ...(length > 0 && { start: from + start, end: from + end }) })
    this.#logprobs.push(...logprobs)
  }

  /** The first call of another model is marked: clients bring it back to a vendor that wants calls signed. */
  call({ id, name, args, kind, signature, origin }: Call): JsonObject {
    const isFirst = this.#calls++ === 0
    const shown = showProof({ ...(signature !== undefined && { signature }), ...(origin !== undefined && { origin }) })
    const foreign = isFirst && origin !== OWN && !('thoughtSignature' in shown)
    return {
      functionCall: { ...idField(id), name, args: kind === 'custom' ? { input: args } : argsObject(args) },
      ...(foreign ? { thoughtSignature: UNSIGNED } : shown),
    }
  }

  ending(stop: Stop): JsonObject {
    return {
      finishReason: writeStop(stop, { calls: this.#calls > 0, refusal: this.#refused }),
      ...writeCitations(this.#citations, this.#text),
      ...writeLogprobs(this.#logprobs),
    }
  }
}
