import type { AnswerEvent, JsonObject, Prompt, ReplyFacts, StreamEncoder } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { sseText } from '../sse.ts'
import { StreamSummary } from '../stream-summary.ts'
import { endsText } from '../text-block.ts'
import { responseId } from './answer.ts'
import { CandidateFacts, signedPart } from './candidate-writer.ts'
import { OWN } from './proof.ts'
import { writeUsage } from './usage.ts'

interface OpenCall {
  readonly head: Omit<Extract<AnswerEvent, { type: 'tool_call' }>, 'type' | 'index'>
  args: string
}

/**
 * Writes a client's stream: frames that are whole responses with the next parts, the last one with the finish reason and
 * the usage. Clients take a frame without parts for a broken one, so the last part said waits for that frame, and of a
 * text its last character. Calls go out whole.
 */
export class ContentStreamEncoder implements StreamEncoder {
  readonly #facts = new CandidateFacts()
  readonly #calls = new Map<number, OpenCall>()
  readonly #responseId: string
  readonly #summary: StreamSummary
  #held: JsonObject | undefined

  constructor(prompt: Prompt, reply: ReplyFacts) {
    this.#responseId = responseId(reply)
    this.#summary = new StreamSummary(prompt.model)
  }

  push(event: AnswerEvent): string {
    this.#summary.note(event)
    if (endsText(event)) this.#facts.beginBlock()
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#facts.say(event.text, event.type)
        if (event.type === 'text' && event.logprobs) this.#facts.note({ logprobs: event.logprobs })
        return this.#words({ text: event.text })
      case 'citation':
        this.#facts.note({ citations: [event.citation] })
        return ''
      case 'reasoning':
        return this.#words({ text: event.text, thought: true })
      case 'signature': {
        const said = this.#said()
        const signed = signedPart(said.at(-1), event)
        if (signed?.replaces) said.pop()
        return signed ? this.#say(said, signed.part) : this.#say(said.slice(0, -1), said.at(-1))
      }
      case 'tool_call': {
        const { type: _, index, ...head } = event
        this.#calls.set(index, { head, args: '' })
        return ''
      }
      case 'tool_args': {
        const call = this.#calls.get(event.index)
        if (call) call.args += event.text
        return ''
      }
      case 'opaque':
        return event.format === OWN ? this.#say(this.#said(), event.value) : ''
      case 'start':
      case 'usage':
      case 'stop':
      case 'unmodelled':
        return ''
      case 'end':
        return this.#end()
    }
  }

  /** Calls whose arguments are not whole stay behind: no client could read them. */
  breakOff(): string {
    return this.#say(this.#said(), undefined)
  }

  #words(part: { readonly text: string; readonly thought?: true }): string {
    if (part.text === '') return ''
    const { head, last } = split(part.text)
    const said = this.#said()
    return this.#say(head === '' ? said : [...said, { ...part, text: head }], { ...part, text: last })
  }

  /** What was held, and the calls that are complete since then: what follows must not overtake them. */
  #said(): JsonObject[] {
    const parts = this.#held ? [this.#held] : []
    for (const [index, { head, args }] of this.#calls) {
      if (!isJson(args)) break
      parts.push(this.#facts.call({ type: 'tool_call', ...head, args }))
      this.#calls.delete(index)
    }
    return parts
  }

  /** Sends all these parts and holds another one. */
  #say(said: readonly JsonObject[], held: JsonObject | undefined): string {
    this.#held = held
    return said.length === 0 ? '' : this.#frame({ content: { parts: joined(said), role: 'model' }, index: 0 })
  }

  #end(): string {
    const calls = [...this.#calls.values()].map(({ head, args }) =>
      this.#facts.call({ type: 'tool_call', ...head, args }),
    )
    const parts = joined([...(this.#held ? [this.#held] : []), ...calls])
    const content = { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' }
    this.#held = undefined
    this.#calls.clear()
    const { usage, stop } = this.#summary
    const counted = usage && { usageMetadata: writeUsage(usage) }
    return this.#frame({ content, index: 0, ...this.#facts.ending(stop) }, counted)
  }

  #frame(candidate: JsonObject, more: JsonObject = {}): string {
    const body = { candidates: [candidate], ...more, modelVersion: this.#summary.model, responseId: this.#responseId }
    return sseText({ data: exactJson(body) })
  }
}

/** The last character apart, and what belongs to it with it: half of a pair would be another character. */
function split(text: string): { readonly head: string; readonly last: string } {
  const low = text.charCodeAt(text.length - 1)
  const size = (low & 0xfc00) === 0xdc00 && text.length > 1 ? 2 : 1
  return { head: text.slice(0, -size), last: text.slice(-size) }
}

/** Words that follow words of the same kind are one part. */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const out: JsonObject[] = []
  for (const part of parts) {
    const last = out.at(-1)
    const follows =
      last !== undefined &&
      typeof last.text === 'string' &&
      typeof part.text === 'string' &&
      last.thought === part.thought &&
      last.thoughtSignature === undefined &&
      part.text !== ''
    if (follows) out[out.length - 1] = { ...part, text: `${last.text}${part.text}` }
    else out.push(part)
  }
  return out
}

/** Have all arguments come? None at all mean `{}`, but more may follow. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
