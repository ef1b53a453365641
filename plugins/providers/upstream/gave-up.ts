import { type Answer, type AnswerEvent, ProviderError } from 'deflector'

/** The model came to no answer: another attempt may. `answer` is what a client of the vendor's own dialect gets of it. */
export const gaveUp = (name: string, word: string, answer?: Answer): ProviderError =>
  new ProviderError('gave_up', `${name} broke off with ${word}`, { code: word, ...(answer && { answer }) })

/** See `Stop.gaveUp`. */
export function wordIn(events: readonly AnswerEvent[]): string | undefined {
  for (const event of events) if (event.type === 'stop' && event.stop.gaveUp !== undefined) return event.stop.gaveUp
  return undefined
}
