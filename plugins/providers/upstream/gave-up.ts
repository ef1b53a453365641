import { type Answer, ProviderError } from 'deflector'

/** The model came to no answer: another attempt may. `answer` is what a client of the vendor's own dialect gets of it. */
export const gaveUp = (name: string, word: string, answer?: Answer): ProviderError =>
  new ProviderError('gave_up', `${name} broke off with ${word}`, { code: word, ...(answer && { answer }) })
