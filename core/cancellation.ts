type Listener = (reason: unknown) => void

/**
 * Whether a result is still awaited. It says what an `AbortSignal` says without the cost of one: node gives each signal an
 * event target and a table of listeners, and most calls end well without anybody looking.
 */
export class Cancellation {
  readonly #listeners: Listener[] = []
  #controller: AbortController | undefined
  #cancelled = false
  #reason: unknown

  /** One of its own that is cancelled with `parent`, or before. */
  static following(parent: Cancellation | AbortSignal): Cancellation {
    const own = new Cancellation()
    if (parent instanceof Cancellation) parent.onCancel(reason => own.cancel(reason))
    else if (parent.aborted) own.cancel(parent.reason)
    else parent.addEventListener('abort', () => own.cancel(parent.reason), { once: true })
    return own
  }

  get cancelled(): boolean {
    return this.#cancelled
  }

  /** What `cancel` was given. */
  get reason(): unknown {
    return this.#reason
  }

  /** The same as a signal, for `fetch` and its like; made when first asked for. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Only the first call counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#reason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#listeners.splice(0)) listener(reason)
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#reason
  }

  /** Calls `listener` once: at once when it is too late to wait. The function given back takes it away again. */
  onCancel(listener: Listener): () => void {
    if (this.#cancelled) listener(this.#reason)
    else this.#listeners.push(listener)
    return () => {
      const at = this.#listeners.indexOf(listener)
      if (at >= 0) this.#listeners.splice(at, 1)
    }
  }

  /** The work's outcome or the reason of the cancellation, whichever comes first, also for work that ignores it. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onCancel(reject)
      work.then(
        value => {
          forget()
          resolve(value)
        },
        error => {
          forget()
          reject(error)
        },
      )
    })
  }
}
