import { type AnswerFacts, type Frame, type LiveAnswer, oneByOne, type Progress, type WholeAnswer } from 'deflector'

/** How a stream is gone on with. */
export interface Sequel {
  /** Is it worth reading again what was sent? */
  may(error: unknown): boolean
  /**
   * The answer in place of one that `error` broke off after `sent`. Its first frame holds all events that were sent.
   * Throws `error` where the stream has to end there.
   */
  after(sent: readonly Frame[], error: unknown): LiveAnswer
}

/** A live answer that is gone on with where it breaks off. Until then its frames are those of the first attempt. */
export class ResumableAnswer implements LiveAnswer {
  readonly kind = 'live'
  readonly format: string
  readonly facts: AnswerFacts
  readonly whole: Promise<WholeAnswer>
  #rest: LiveAnswer | undefined
  #resuming: Promise<LiveAnswer> | undefined

  constructor(
    private readonly first: LiveAnswer,
    private readonly sequel: Sequel,
  ) {
    this.format = first.format
    this.facts = first.facts
    this.whole = first.whole.catch(error => this.#whole(error))
    this.whole.catch(() => {}) // a rejection may have no listener
  }

  get joinable(): boolean {
    return this.first.joinable && this.#rest?.joinable !== false
  }

  get progress(): Progress {
    const { firstTokenAt } = this.first.progress
    return { ...(this.#rest ?? this.first).progress, firstTokenAt }
  }

  frames(): AsyncIterable<Frame> {
    return oneByOne(this.batches())
  }

  batches(): AsyncIterable<readonly Frame[]> {
    return new Reading(this.first.batches(), error => this.#resumed(error))
  }

  async #whole(error: unknown): Promise<WholeAnswer> {
    // A stream that cannot be kept is not broken.
    if (this.first.progress.complete) throw error
    return (await this.#resumed(error)).whole
  }

  /** Broken once, gone on with once, for all readers. */
  #resumed(error: unknown): Promise<LiveAnswer> {
    this.#resuming ??= this.#resume(error)
    return this.#resuming
  }

  async #resume(error: unknown): Promise<LiveAnswer> {
    // The beginning of a large answer has been let go of.
    if (!this.first.joinable || !this.sequel.may(error)) throw error
    const sent: Frame[] = []
    try {
      for await (const frame of this.first.frames()) sent.push(frame)
    } catch {
      this.#rest = this.sequel.after(sent, error)
      return this.#rest
    }
    throw error
  }
}

/** One reader's way over the frames of the first attempt, and those behind its break. */
class Reading implements AsyncIterableIterator<readonly Frame[]> {
  #batches: AsyncIterator<readonly Frame[]>
  #resumed = false

  constructor(
    first: AsyncIterable<readonly Frame[]>,
    private readonly rest: (error: unknown) => Promise<LiveAnswer>,
  ) {
    this.#batches = first[Symbol.asyncIterator]()
  }

  next(): Promise<IteratorResult<readonly Frame[]>> {
    return this.#resumed ? this.#batches.next() : this.#batches.next().catch(error => this.#goOn(error))
  }

  async return(): Promise<IteratorResult<readonly Frame[]>> {
    await this.#batches.return?.()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #goOn(error: unknown): Promise<IteratorResult<readonly Frame[]>> {
    const rest = await this.rest(error)
    this.#resumed = true
    this.#batches = rest.batches()[Symbol.asyncIterator]()
    await this.#batches.next() // what this reader has
    return this.#batches.next()
  }
}
