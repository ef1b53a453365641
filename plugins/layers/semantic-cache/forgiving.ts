import type { Cancellation, HostLog } from 'deflector'

export type Part = 'model' | 'store'

/** A cache goes on without its model or its store: what fails in them is a miss, and a warning now and then. */
export class Forgiving {
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
      // Cut short because the client left, which says nothing of the part.
      if (cancellation?.cancelled) return undefined
      this.#failing.add(part)
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.degraded('fails', 'the semantic cache fails; requests go on without it', { part, error: reason })
      return undefined
    }
  }
}
