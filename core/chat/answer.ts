import type { Cancellation } from '../cancellation.ts'
import { pointOn } from '../moved.ts'
import type { Completion, Usage } from './completion.ts'
import type { Frame } from './stream.ts'

/** The bytes of an answer in one dialect. */
export interface Wire {
  readonly format: string
  readonly bytes: Uint8Array
}

/** The stream of an answer in one dialect, see `StreamForm`. */
export interface StreamWire {
  readonly format: string
  readonly text: string
}

/** What is known of an answer beside what it says. */
export interface AnswerFacts {
  /** Instance name of the provider, set by the dispatch of its attempt. */
  readonly provider?: string | undefined
  /** Vendor headers that may reach the client: request ids, rate limits. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Seconds since the answer was stored, on an answer served past its time to live. */
  readonly staleSecs?: number | undefined
  /** Until when a cache may serve it, milliseconds since 1970: a copy made from there may serve it no longer. */
  readonly freshUntil?: number | undefined
  /**
   * A model of this machine wrote it, and not a vendor: caches serve it until `freshUntil`, never in place of a failure, and
   * measure nothing by it.
   */
  readonly local?: boolean | undefined
  /** Its vendor holds it under `Completion.id`, and its client may refer to that: it is given out under no other id. */
  readonly held?: boolean | undefined
  /** This answer belongs to another exchange that asked the same; it is not written back again. */
  readonly joined?: boolean | undefined
}

/** A chat answer that is all there. */
export interface WholeAnswer {
  readonly kind: 'whole'
  /** The canonical answer, decoded on first use. */
  readonly completion: Completion
  /** The original bytes, where the answer came as such. */
  readonly wire?: Wire | undefined
  /** Its original stream, where it came as such. */
  readonly stream?: StreamWire | undefined
  readonly facts: AnswerFacts
}

/** A chat answer that is still being written. */
export interface LiveAnswer {
  readonly kind: 'live'
  /** Format of the frames' `wire`. */
  readonly format: string
  readonly facts: AnswerFacts
  /**
   * The frames from the first one on. Everybody who calls it gets all of them; the fastest reader sets the pace.
   * Ends normally only after the protocol's terminal event, else throws a `GatewayError`.
   */
  frames(): AsyncIterable<Frame>
  /** The same in lists of those that came together. */
  batches(): AsyncIterable<readonly Frame[]>
  /** False once the answer is large: its first frames are kept for the first reader only, and let go once read. */
  readonly joinable: boolean
  /** The assembled answer. Rejects when the stream broke or everybody left; `settle` awaits it. */
  readonly whole: Promise<WholeAnswer>
  /** How far it is. */
  readonly progress: Progress
}

export interface Progress {
  /** Tokens as the vendor has counted them so far. */
  readonly usage: Usage | undefined
  /** Characters of text, reasoning and arguments so far. */
  readonly received?: number | undefined
  /** Frames with content so far. Content that came together may count once. */
  readonly chunks?: number | undefined
  /** When the first content or reasoning came, on the clock of `performance.now()`. */
  readonly firstTokenAt: number | undefined
  /** The terminal event was seen. */
  readonly complete: boolean
}

/** The answer to another operation than chat: bytes for the client, and what they cost. */
export interface BytesAnswer {
  readonly kind: 'bytes'
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly usage?: Usage | undefined
  readonly facts: AnswerFacts
}

export type Answer = WholeAnswer | LiveAnswer | BytesAnswer
/** An answer of which nothing is missing. */
export type SettledAnswer = WholeAnswer | BytesAnswer

export interface WholeParts extends AnswerFacts {
  /** The canonical answer, or how to decode it on first use. */
  readonly completion: Completion | (() => Completion)
  readonly wire?: Wire | undefined
  readonly stream?: StreamWire | undefined
}

export const wholeAnswer = ({ completion, wire, stream, ...facts }: WholeParts): WholeAnswer =>
  new DecodedAnswer(completion, wire, stream, facts)

/** A class for the reason that `ReadPrompt` is one. */
class DecodedAnswer implements WholeAnswer {
  readonly kind = 'whole'
  #completion: WholeParts['completion']

  constructor(
    completion: WholeParts['completion'],
    readonly wire: Wire | undefined,
    readonly stream: StreamWire | undefined,
    readonly facts: AnswerFacts,
  ) {
    this.#completion = completion
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

/** An answer to another operation than chat. `contentType` defaults to JSON. */
export const bytesAnswer = (
  bytes: Uint8Array,
  { contentType = 'application/json', usage }: { readonly contentType?: string; readonly usage?: Usage } = {},
): BytesAnswer => ({ kind: 'bytes', bytes, contentType, usage, facts: {} })

/** The same answer with more facts. A copy by spreading would decode what is decoded on first use, and freeze `joinable`. */
export function withFacts<A extends Answer>(answer: A, more: AnswerFacts): A
export function withFacts(answer: Answer, more: AnswerFacts): Answer {
  const facts = { ...answer.facts, ...more }
  switch (answer.kind) {
    case 'whole':
      return new DecodedAnswer(() => answer.completion, answer.wire, answer.stream, facts)
    case 'live':
      return new LiveView(answer, facts)
    case 'bytes':
      return { ...answer, facts }
  }
}

/**
 * A live answer with more facts that ends with `cancellation`. Live answers are written at their readers' pace: without
 * readers `whole` has to be ended from outside.
 */
export const endedBy = (answer: LiveAnswer, more: AnswerFacts, cancellation: Cancellation): LiveAnswer =>
  new LiveView(answer, { ...answer.facts, ...more }, cancellation.guard(answer.whole))

/**
 * A live answer whose frames are shown to `see` before they go to a reader, who waits for what `see` has to do. The whole
 * of it has more facts.
 */
export const seenBy = (
  answer: LiveAnswer,
  more: AnswerFacts,
  see: (frame: Frame) => Promise<void> | undefined,
): LiveAnswer =>
  new LiveView(
    answer,
    answer.facts,
    answer.whole.then(whole => withFacts(whole, more)),
    see,
  )

class LiveView implements LiveAnswer {
  readonly kind = 'live'
  readonly format: string
  readonly whole: Promise<WholeAnswer>
  readonly #answer: LiveAnswer
  readonly #see: ((frame: Frame) => Promise<void> | undefined) | undefined
  #begun: AsyncIterable<readonly Frame[]> | undefined

  constructor(
    answer: LiveAnswer,
    readonly facts: AnswerFacts,
    whole = answer.whole,
    see?: (frame: Frame) => Promise<void> | undefined,
  ) {
    this.#answer = answer
    this.#see = see
    this.format = answer.format
    this.whole = whole
    this.whole.catch(() => {}) // a rejection may have no listener
    // A large answer lets go of its first frames, so a reader who joins begins at once.
    if (facts.joined && !answer.facts.joined) this.#begun = answer.batches()
  }

  get joinable(): boolean {
    return this.#answer.joinable
  }

  get progress(): Progress {
    return this.#answer.progress
  }

  frames(): AsyncIterable<Frame> {
    return oneByOne(this.batches())
  }

  batches(): AsyncIterable<readonly Frame[]> {
    const batches = this.#begun ?? this.#answer.batches()
    this.#begun = undefined
    return this.#see ? shown(batches, this.#see) : batches
  }
}

export async function* oneByOne(batches: AsyncIterable<readonly Frame[]>): AsyncGenerator<Frame> {
  for await (const batch of batches) yield* batch
}

async function* shown(
  batches: AsyncIterable<readonly Frame[]>,
  see: (frame: Frame) => Promise<void> | undefined,
): AsyncGenerator<readonly Frame[]> {
  for await (const batch of batches) {
    for (const frame of batch) {
      const seen = see(frame)
      if (seen) await seen
    }
    yield batch
  }
}

for (const { prototype } of [DecodedAnswer, LiveView]) pointOn('answer', prototype)
