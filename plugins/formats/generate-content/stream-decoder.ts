import { type AnswerEvent, type Frame, isObject, type JsonObject, type StreamDecoder, type WireEvent } from 'deflector'
import { withExactMembers } from '../exact-members.ts'
import { StreamFault } from '../stream-fault.ts'
import { factsIn, isBlocked } from './answer.ts'
import { CandidateReader } from './candidate-reader.ts'
import { TOOL_JSON } from './exact.ts'
import { readUsage } from './usage.ts'

/**
 * Reads a vendor's stream, each event of which is a whole response with the next parts. Nothing terminates it: some models
 * name a finish reason in every event, and facts may follow the last words. So it is over when the vendor closes it.
 */
export class ContentStreamDecoder implements StreamDecoder {
  #candidate: CandidateReader | undefined
  /** Further choices: they have to come to an end as well. */
  readonly #others = new Map<unknown, boolean>()
  #started = false
  #blocked = false
  #gaveUp = false
  #ended = false

  push({ data }: WireEvent): AnswerEvent[] {
    const body = parsed(data)
    if (isObject(body.error)) throw fault(body.error)
    const facts = factsIn(body)
    const events: AnswerEvent[] = this.#started ? [] : [{ type: 'start', ...facts }]
    this.#started = true
    this.#candidate ??= new CandidateReader(facts.id)
    this.#blocked ||= isBlocked(body)
    for (const candidate of Array.isArray(body.candidates) ? body.candidates : []) {
      if (!isObject(candidate)) continue
      const { index = 0, finishReason } = candidate
      if (index === 0) events.push(...this.#candidate.read(candidate))
      else {
        if (!this.#others.has(index)) events.push({ type: 'unmodelled', what: 'a second choice' })
        this.#others.set(index, this.#others.get(index) === true || typeof finishReason === 'string')
      }
    }
    const { gaveUp } = this.#candidate
    if (gaveUp && !this.#gaveUp) {
      this.#gaveUp = true
      events.push({ type: 'stop', stop: gaveUp })
    }
    const usage = readUsage(body.usageMetadata)
    if (usage) events.push({ type: 'usage', usage })
    return events
  }

  finish(): Frame[] {
    if (this.#ended) return []
    const complete = this.#candidate?.finished && [...this.#others.values()].every(Boolean)
    if (!complete && !this.#blocked) throw new Error('the stream ended before a finish reason')
    this.#ended = true
    return [{ events: [...this.#rest(), { type: 'end' }], wire: '' }]
  }

  #rest(): AnswerEvent[] {
    if (!this.#candidate?.finished) return [{ type: 'stop', stop: { reason: 'filtered' } }]
    const { events, stop } = this.#candidate.rest()
    if (this.#gaveUp) return [...events]
    return [...events, { type: 'stop', stop }]
  }
}

function parsed(text: string): JsonObject {
  // The arguments of a call are the user's own, and their numbers are not ours to spell.
  const body: unknown = withExactMembers(JSON.parse(text), text, TOOL_JSON)
  // A vendor that is asked for a list of responses may wrap each of them, errors included.
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) throw new Error('an event of the stream is not an object')
  return first
}

function fault({ status, message }: JsonObject): StreamFault {
  return new StreamFault(typeof status === 'string' ? status : 'UNKNOWN', typeof message === 'string' ? message : '')
}
