import type { Cancellation, Clock, Log } from 'deflector'

const WARN_EVERY_MS = 60_000

export type Part = 'model' | 'store'

/** A cache goes on without its model or its store: what fails in them is a miss, and the log hears of it now and then. */
export class Forgiving {
  readonly #log: Log
  readonly #clock: Clock
  /** Parts whose last use failed. */
  readonly #failing = new Set<Part>()
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  get degraded(): boolean {
    return this.#failing.size > 0
  }

  async run<T>(part: Part, work: () => Promise<T>, cancellation?: Cancellation): Promise<T | undefined> {
    try {
      const result = await work()
      this.#failing.delete(part)
      return result
    } catch (error) {
      // Cut short because the client left, which says nothing of the part.
      if (cancellation?.cancelled) return undefined
      this.#failing.add(part)
      this.#warn(part, error)
      return undefined
    }
  }

  #warn(part: Part, error: unknown): void {
    const now = this.#clock.now()
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    const reason = error instanceof Error ? error.message : String(error)
    this.#log.warn('the semantic cache fails; requests go on without it', { part, error: reason })
  }
}
