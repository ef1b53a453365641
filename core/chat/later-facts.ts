import type { Cancellation } from '../cancellation.ts'
import type { Answer, AnswerFacts, Frame, LiveAnswer, WholeAnswer } from '../exchange.ts'
import { ReadAnswer } from './answer.ts'

/** What becomes known of an answer only after its provider gave it. */
export interface LaterFacts {
  /** Instance name of the provider. */
  readonly provider?: string
  /** Seconds since it was stored, where it is served past its time to live. */
  readonly staleSecs?: number
  /** See `AnswerFacts.freshUntil`. */
  readonly freshUntil?: number
  /** It belongs to another exchange. Its frames are begun at once, because a large answer lets go of the first ones. */
  readonly joined?: true
  /** Cancelled when everybody left. A live answer is written at its readers' pace: without them `whole` has to be ended. */
  readonly cancellation?: Cancellation
}

/** The same answer with more facts. A copy by spreading would decode what is decoded on first use, and freeze `joinable`. */
export function withFacts<A extends Answer>(answer: A, later: LaterFacts): A
export function withFacts(answer: Answer, later: LaterFacts): Answer {
  const facts: AnswerFacts = {
    headers: answer.headers,
    provider: later.provider ?? answer.provider,
    staleSecs: later.staleSecs ?? answer.staleSecs,
    freshUntil: later.freshUntil ?? answer.freshUntil,
    joined: later.joined ?? answer.joined,
  }
  if (answer.kind === 'live') return new RetoldAnswer(answer, facts, later)
  return new ReadAnswer(() => answer.completion, answer.wire, facts)
}

class RetoldAnswer implements LiveAnswer {
  readonly kind = 'live'
  readonly format: string
  readonly headers: AnswerFacts['headers']
  readonly provider: string | undefined
  readonly staleSecs: number | undefined
  readonly freshUntil: number | undefined
  readonly joined: boolean | undefined
  readonly whole: Promise<WholeAnswer>
  readonly #answer: LiveAnswer
  #begun: AsyncIterable<Frame> | undefined

  constructor(
    answer: LiveAnswer,
    { headers, provider, staleSecs, freshUntil, joined }: AnswerFacts,
    later: LaterFacts,
  ) {
    this.#answer = answer
    this.format = answer.format
    this.headers = headers
    this.provider = provider
    this.staleSecs = staleSecs
    this.freshUntil = freshUntil
    this.joined = joined
    this.whole = later.cancellation ? later.cancellation.guard(answer.whole) : answer.whole
    this.whole.catch(() => {}) // nobody may be waiting
    if (later.joined) this.#begun = answer.frames()
  }

  get joinable(): boolean {
    return this.#answer.joinable
  }

  frames(): AsyncIterable<Frame> {
    const frames = this.#begun ?? this.#answer.frames()
    this.#begun = undefined
    return frames
  }
}
