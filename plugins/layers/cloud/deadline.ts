import { type Clock, ProviderError } from 'deflector'

/** The time for a first byte, over all attempts of one call, and everybody's leaving: one signal for both. */
export class Deadline {
  /** When the time is over, in milliseconds since 1970. */
  readonly at: number
  readonly #abort = new AbortController()
  readonly #cancel: () => void
  #expired = false

  constructor(
    clock: Clock,
    ms: number,
    private readonly left: AbortSignal,
  ) {
    this.at = clock.now() + ms
    const leave = (): void => this.#abort.abort(left.reason)
    if (left.aborted) leave()
    // Stays after the first byte: the stream has to end when its last reader leaves.
    left.addEventListener('abort', leave, { once: true })
    this.#cancel = clock.after(ms, () => {
      this.#expired = true
      this.#abort.abort(new ProviderError('timeout', `no first byte within ${ms / 1000} s`))
    })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get expired(): boolean {
    return this.#expired
  }

  /** Throws when nobody waits any more. */
  checkIn(): void {
    this.left.throwIfAborted()
  }

  /** The first byte is here, or the call failed: no more timer. */
  clear(): void {
    this.#cancel()
  }
}

/** The work's outcome, or the abort's reason: a plugin that ignores its signal holds nobody up. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
