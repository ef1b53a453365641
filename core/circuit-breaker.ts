import type { Clock, HostLog } from './host.ts'

/** A server that is away is tried again in ever longer steps. */
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 5000

export interface CircuitBreakerOptions {
  /** What is behind it, for the log: `the embedding server`. */
  readonly what: string
  /** Where, for the log: a host and port, a url without secrets. */
  readonly where: string
  /** One small request. It runs alone while the breaker is open; the breaker closes when it succeeds. */
  probe(): Promise<unknown>
  /** Milliseconds between two probes at most; five seconds by default. */
  readonly lastRetryMs?: number
  readonly clock: Clock
  readonly log: HostLog
}

/**
 * Whether a server is worth asking. Its first failure opens the breaker, so that one request pays for it and not each of
 * an outage; from then on it is probed, one probe at a time, until one succeeds. The log has one warning a minute.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  #open = false
  #disposed = false
  #tries = 0
  #forget: () => void = () => {}

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** Open: the server failed and is not asked. */
  get open(): boolean {
    return this.#open
  }

  /** A request was answered. A probe alone proves little: a server may be quick for probes and slow for requests. */
  succeeded(): void {
    this.#tries = 0
  }

  failed(error: unknown): void {
    if (this.#open) return
    this.#open = true
    this.#later(error)
  }

  /** No probes from now on. */
  dispose(): void {
    this.#disposed = true
    this.#forget()
  }

  #later(error: unknown): void {
    if (this.#disposed) return
    const { clock, log, what, where, lastRetryMs = LAST_RETRY_MS } = this.#options
    const reason = error instanceof Error ? error.message : String(error)
    log.degraded(`${what} ${where}`, `${what} is out of reach; requests go on without it`, { server: where, reason })
    const step = Math.min(lastRetryMs, FIRST_RETRY_MS * 2 ** Math.min(this.#tries++, 10))
    this.#forget = clock.after(Math.round(step * (0.5 + clock.random() / 2)), () => void this.#try())
  }

  async #try(): Promise<void> {
    const { log, what, where, probe } = this.#options
    try {
      await probe()
    } catch (error) {
      return this.#later(error)
    }
    if (this.#disposed) return
    this.#open = false
    log.recovered(`${what} ${where}`, `${what} answers again`, { server: where })
  }
}
