import { type Cancellation, type Clock, ProviderError } from 'deflector'

/** The time limit for the first byte, over all attempts of one call. */
export class Deadline {
  /** When the time ends, by the monotonic clock. */
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

  /** Throws the cancellation when all clients have left. */
  throwIfAbandoned(): void {
    if (!this.#expired) this.cancellation.throwIfCancelled()
  }

  /** Stops the timer: the first byte has arrived, or the call failed. */
  clear(): void {
    this.#cancel()
  }
}
