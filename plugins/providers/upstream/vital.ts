import { type AnswerBlock, type AnswerEvent, ProviderError } from 'deflector'

/** Throws where an answer has something that the client's dialect cannot say, and without which it would be another one. */
export function refuseVital(said: readonly (AnswerBlock | AnswerEvent)[], name: string, client: string): void {
  for (const one of said)
    if (one.type === 'opaque' && one.vital !== undefined)
      throw new ProviderError('untellable', `${name} answered with ${one.vital}, which ${client} has no words for`)
}
