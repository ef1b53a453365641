import { type AnswerEvent, type Frame, isObject, type StreamDecoder, type WireEvent } from 'deflector'
import { decodeUsage } from '../chat-completions/usage.ts'

const DONE = '[DONE]'

/** Reads a stream of text completions as far as books and readers need it; its frames are passed on, not written anew. */
export class CompletionsStreamDecoder implements StreamDecoder {
  #begun = false
  #finished = false

  push({ event, data }: WireEvent): AnswerEvent[] {
    const text = data.trim()
    if (text === '') return []
    if (text === DONE) return [{ type: 'end' }]
    const chunk: unknown = JSON.parse(text)
    if (!isObject(chunk) || event === 'error' || isObject(chunk.error)) throw new Error('the vendor reports a failure')
    const events: AnswerEvent[] = this.#begun ? [] : [{ type: 'unmodelled', what: 'a text completion' }]
    this.#begun = true
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      if (!isObject(choice)) continue
      if (typeof choice.text === 'string' && choice.text !== '') events.push({ type: 'text', text: choice.text })
      this.#finished ||= typeof choice.finish_reason === 'string'
    }
    const usage = decodeUsage(chunk.usage)
    if (usage) events.push({ type: 'usage', usage })
    return events
  }

  /** Some hosts leave the terminator out. */
  finish(): Frame[] {
    if (!this.#finished) throw new Error('the stream ended before a finish reason')
    return [{ events: [{ type: 'end' }], wire: `data: ${DONE}\n\n` }]
  }
}
