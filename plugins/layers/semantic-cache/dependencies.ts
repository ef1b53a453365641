import type { Cancellation, HostLog } from 'deflector'

type Part = 'model' | 'store'

/** Calls to the model and the store. A failure there is a miss with a throttled warning, so that the cache goes on. */
export class Dependencies {
  readonly #log: HostLog
  /** Parts whose last use failed. */
  readonly #failing = new Set<Part>()

  constructor(log: HostLog) {
    this.#log = log
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
      // The client has left, which says nothing about the model or the store.
      if (cancellation?.cancelled) return undefined
      this.#failing.add(part)
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.degraded('fails', 'the semantic cache fails; requests go on without it', { part, error: reason })
      return undefined
    }
  }
}
