import { type Cancellation, type Clock, ProviderError } from 'deflector'

/** The time for a first byte, over all attempts of one call. */
export class Deadline {
  /** When the time is over, by the monotonic clock. */
  readonly at: number
  readonly #cancel: () => void
  #expired = false

  constructor(
    clock: Clock,
    ms: number,
    private readonly cancellation: Cancellation,
  ) {
    this.at = clock.monotonic() + ms
    this.#cancel = clock.after(ms, () => {
      this.#expired = true
      cancellation.cancel(new ProviderError('timeout', `no first byte within ${ms / 1000} s`))
    })
  }

  get expired(): boolean {
    return this.#expired
  }

  /** Throws when nobody waits any more. */
  checkIn(): void {
    if (!this.#expired) this.cancellation.throwIfCancelled()
  }

  /** The first byte is here, or the call failed: no more timer. */
  clear(): void {
    this.#cancel()
  }
}
