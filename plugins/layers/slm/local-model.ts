import {
  Cancellation,
  CircuitBreaker,
  type Clock,
  type HostLog,
  type Writer,
  type WritingTask,
  type WrittenText,
} from 'deflector'

/** Why there is no text: it was not asked, was too slow, failed, could not take the task, or the client has left. */
export type Without = 'down' | 'late' | 'failed' | 'refused' | 'left'

/** Milliseconds between two probes at most: each may keep a small machine busy. */
const LAST_RETRY_MS = 15_000

const PROBE: WritingTask = { turns: [{ role: 'user', text: 'Hi' }], maxTokens: 1 }

const letGo = new Error('the small model is too slow for another request')

/** Who works under the same limit before a model. The one that uses more of it is too slow when it ends. */
export interface Earlier {
  readonly usedMs: number
  readonly tooSlow: ((error: unknown) => void) | undefined
}

export interface LocalModelOptions {
  readonly clock: Clock
  readonly log: HostLog
  readonly timeoutMs: number
}

/**
 * A small model that may be away. The first time-out opens its circuit and lets all go that wait for it, so that a dead
 * server costs one time-out and not one for each request.
 */
export class LocalModel {
  readonly #writer: Writer
  readonly #log: HostLog
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #breaker: CircuitBreaker
  readonly #waiting = new Set<Cancellation>()

  constructor(writer: Writer, { clock, log, timeoutMs }: LocalModelOptions) {
    this.#writer = writer
    this.#log = log
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#breaker = new CircuitBreaker({
      what: 'the small model',
      where: writer.url ?? writer.model,
      lastRetryMs: LAST_RETRY_MS,
      clock,
      log,
      async probe() {
        const limit = new Cancellation()
        const stop = clock.after(timeoutMs, () => limit.cancel(tooSlow(timeoutMs)))
        await limit.guard(writer.write(PROBE, limit)).finally(stop)
      },
    })
  }

  get isDown(): boolean {
    return this.#breaker.open
  }

  dispose(): void {
    this.#breaker.dispose()
  }

  /**
   * `limit` is cancelled when time is up, by a `TimeoutError`, or when the client leaves. `earlier` has used some of its
   * time before.
   */
  async write(task: WritingTask, limit: Cancellation, earlier?: Earlier): Promise<WrittenText | Without> {
    if (this.isDown) return 'down'
    const began = this.#clock.monotonic()
    const used = (): number => this.#clock.monotonic() - began
    const work = Cancellation.following(limit)
    this.#waiting.add(work)
    try {
      const written = await work.guard(this.#writer.write(task, work))
      // One that leaves no time for another model is no success.
      if (used() <= this.#timeoutMs / 2) this.#breaker.succeeded()
      return written
    } catch (error) {
      const why = this.#without(error, work)
      if (why === 'late') {
        if (earlier?.tooSlow && earlier.usedMs > used()) earlier.tooSlow(error)
        else this.tooSlow(error)
      }
      return why
    } finally {
      this.#waiting.delete(work)
    }
  }

  #without(error: unknown, work: Cancellation): Without {
    if (work.reason === letGo) return 'down'
    const why = withoutBy(error, work)
    if (why === 'refused') {
      const { model } = this.#writer
      this.#log.degraded(`refused ${model}`, 'the small model refuses requests; they go on without it', { model })
    }
    if (why === 'failed') this.#breaker.failed(error)
    return why
  }

  /** A limit ended of which this model used the most. */
  tooSlow(error: unknown): void {
    this.#breaker.failed(error)
    for (const other of this.#waiting) other.cancel(letGo)
  }
}

/** What it means that a model's work, begun under this limit, ended with this error. */
export function withoutBy(error: unknown, { cancelled, reason }: Cancellation): Exclude<Without, 'down'> {
  if (isNamed(cancelled ? reason : error, 'TimeoutError')) return 'late'
  if (cancelled) return 'left'
  return isNamed(error, 'Refusal') ? 'refused' : 'failed'
}

export const tooSlow = (ms: number): DOMException => new DOMException(`no answer within ${ms} ms`, 'TimeoutError')

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name
