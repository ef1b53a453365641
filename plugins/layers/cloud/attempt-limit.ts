import { Cancellation, type Clock, ProviderError } from 'deflector'

/**
 * The time limit of one attempt: a silent provider is left for another one. It ends the attempt only if `mayLeave` says
 * so when the time is up; with no other provider ready the attempt goes on until the deadline of the whole call.
 */
export class AttemptLimit {
  /** Of this attempt alone: cancelled by the limit, or with that of the whole call. */
  readonly cancellation = new Cancellation()
  #expired = false
  #stop: () => void = () => {}
  readonly #leave: () => void

  constructor(
    private readonly clock: Clock,
    call: Cancellation,
    private readonly mayLeave: () => boolean,
  ) {
    this.#leave = call.onCancel(reason => this.cancellation.cancel(reason))
  }

  /** From now on it may take so long, whatever was said before. */
  allow(ms: number): void {
    this.#stop()
    this.#stop = this.clock.after(ms, () => {
      if (!this.mayLeave()) return
      this.#expired = true
      this.cancellation.cancel(new ProviderError('timeout', `nothing came within ${ms / 1000} s`))
    })
  }

  /** The provider was silent for too long, and is not to be asked again. */
  get expired(): boolean {
    return this.#expired
  }

  /** The answer has begun. A live one is still cancelled with the whole call. */
  begun(): void {
    this.#stop()
  }

  /** The attempt failed. */
  over(): void {
    this.#stop()
    this.#leave()
  }
}
