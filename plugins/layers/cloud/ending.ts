/**
 * What ends a call before its time, for everybody in it: the provider hears it by the signal, the chain by `guard`. One
 * controller for the call's whole life and no listeners, because they would be made anew for each request.
 */
export class Ending {
  readonly #controller = new AbortController()
  #cut: ((reason: unknown) => void) | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
    this.#cut?.(this.signal.reason)
  }

  /** The work's outcome, or the abort's reason: a plugin that ignores its signal holds nobody up. One work at a time. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) reject(this.signal.reason)
      this.#cut = reject
      work.then(resolve, reject)
    })
  }
}
