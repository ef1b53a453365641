import { type AnswerEvent, type Frame, isObject, type StreamDecoder, type WireEvent } from 'deflector'
import { decodeUsage } from '../chat-completions/usage.ts'

const DONE = '[DONE]'

/** Reads a stream of text completions as far as books and readers need it; its frames are passed on, not written anew. */
export class CompletionsStreamDecoder implements StreamDecoder {
  #begun = false
  /** The choices by their index, and whether each came to its end. A list of prompts has as many at least. */
  readonly #choices = new Map<unknown, boolean>()

  push({ event, data }: WireEvent): AnswerEvent[] {
    const text = data.trim()
    if (text === '') return []
    if (text === DONE) return this.#end()
    const chunk: unknown = JSON.parse(text)
    if (!isObject(chunk) || event === 'error' || isObject(chunk.error)) throw new Error('the vendor reports a failure')
    const events: AnswerEvent[] = this.#begun ? [] : [{ type: 'unmodelled', what: 'a text completion' }]
    this.#begun = true
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      if (!isObject(choice)) continue
      if (typeof choice.text === 'string' && choice.text !== '') events.push({ type: 'text', text: choice.text })
      const { index = 0, finish_reason: reason } = choice
      this.#choices.set(index, this.#choices.get(index) === true || typeof reason === 'string')
    }
    const usage = decodeUsage(chunk.usage)
    if (usage) events.push({ type: 'usage', usage })
    return events
  }

  /** Some hosts leave the terminator out. */
  finish(): Frame[] {
    return [{ events: this.#end(), wire: `data: ${DONE}\n\n` }]
  }

  /** A terminator alone does not say that the model finished: a host that breaks off politely sends it too. */
  #end(): AnswerEvent[] {
    const ends = [...this.#choices.values()]
    if (ends.length === 0 || !ends.every(Boolean)) throw new Error('the stream ended before a finish reason')
    return [{ type: 'end' }]
  }
}
