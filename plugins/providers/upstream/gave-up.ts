import { type Answer, type AnswerEvent, ProviderError, type Usage } from 'deflector'

/** The model came to no answer: another attempt may. `answer` is what a client of the vendor's own dialect gets of it. */
export const gaveUp = (
  name: string,
  word: string,
  told: { readonly answer?: Answer; readonly usage?: Usage | undefined } = {},
): ProviderError => new ProviderError('gave_up', `${name} broke off with ${word}`, { code: word, ...told })

/** See `Stop.gaveUp`. */
export function wordIn(events: readonly AnswerEvent[]): string | undefined {
  for (const event of events) if (event.type === 'stop' && event.stop.gaveUp !== undefined) return event.stop.gaveUp
  return undefined
}
