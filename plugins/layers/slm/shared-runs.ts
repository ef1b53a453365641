import { Cancellation, UnderWayByKey } from 'deflector'

/** Equal requests at the same time share one run of the models. */
export class SharedRuns<T> {
  readonly #runs = new UnderWayByKey<Run<T>>()

  /** Number of runs under way. */
  get size(): number {
    return this.#runs.size
  }

  has(key: string): boolean {
    return this.#runs.get(key) !== undefined
  }

  /**
   * What comes of the run under this key, which `start` begins where there is none. Rejects when `waiter` is cancelled; the
   * run goes on until all have left.
   */
  share(key: string, waiter: Cancellation, start: (cancellation: Cancellation) => Promise<T>): Promise<T> {
    const running = this.#runs.get(key)
    if (running) return running.join(waiter)
    const run: Run<T> = new Run(start, () => {
      if (this.#runs.get(key) === run) this.#runs.delete(key)
    })
    this.#runs.set(key, run)
    return run.join(waiter)
  }
}

class Run<T> {
  readonly #cancellation = new Cancellation()
  readonly #result: Promise<T>
  readonly #onOver: () => void
  #waiters = 0

  /** `onOver` is called before the run is cancelled, so that nobody joins it any more. */
  constructor(start: (cancellation: Cancellation) => Promise<T>, onOver: () => void) {
    this.#onOver = onOver
    this.#result = start(this.#cancellation)
    this.#result.then(onOver, onOver)
  }

  async join(waiter: Cancellation): Promise<T> {
    this.#waiters++
    const forget = waiter.onCancel(reason => this.#leave(reason))
    try {
      return await waiter.guard(this.#result)
    } finally {
      forget()
    }
  }

  #leave(reason: unknown): void {
    this.#waiters--
    if (this.#waiters > 0) return
    this.#onOver()
    this.#cancellation.cancel(reason)
  }
}
