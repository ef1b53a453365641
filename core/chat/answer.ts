import type { AnswerFacts, WholeAnswer, Wire } from '../exchange.ts'
import type { Completion } from './canonical.ts'

export interface WholeFacts extends AnswerFacts {
  /** The canonical answer, or how to decode it on first use. */
  readonly completion: Completion | (() => Completion)
  readonly wire?: Wire | undefined
}

export const wholeAnswer = ({ completion, wire, ...facts }: WholeFacts): WholeAnswer =>
  new ReadAnswer(completion, wire, facts)

/** A class for the reason that `ReadPrompt` is one. */
export class ReadAnswer implements WholeAnswer {
  readonly kind = 'whole'
  readonly headers: AnswerFacts['headers']
  readonly provider: string | undefined
  readonly staleSecs: number | undefined
  readonly freshUntil: number | undefined
  readonly joined: boolean | undefined
  #completion: WholeFacts['completion']

  constructor(
    completion: WholeFacts['completion'],
    readonly wire: Wire | undefined,
    { headers, provider, staleSecs, freshUntil, joined }: AnswerFacts,
  ) {
    this.#completion = completion
    this.headers = headers
    this.provider = provider
    this.staleSecs = staleSecs
    this.freshUntil = freshUntil
    this.joined = joined
  }

  get completion(): Completion {
    if (typeof this.#completion === 'function') this.#completion = this.#completion()
    return this.#completion
  }
}

/** A whole answer of plain text: all that a minimal provider needs. */
export function textAnswer(
  text: string,
  facts: { readonly model: string; readonly id?: string; readonly created?: number },
): WholeAnswer {
  return wholeAnswer({
    completion: {
      id: facts.id ?? '',
      model: facts.model,
      created: facts.created ?? 0,
      blocks: [{ type: 'text', text }],
      stop: { reason: 'stop' },
    },
  })
}
