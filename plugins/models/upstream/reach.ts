import type { Host } from 'deflector'

/** A server that is away is tried again in ever longer steps; the log hears of it once in a while. */
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 5000
const WARN_EVERY_MS = 60_000

/**
 * Whether a server is worth asking. Its first failure closes it, so that one request pays for it and not each of an
 * outage; from then on it is probed, one probe at a time, until one succeeds.
 */
export class Reach {
  readonly #probe: () => Promise<unknown>
  readonly #server: string
  readonly #around: Pick<Host, 'log' | 'clock'>
  #open = true
  #closed = false
  #tries = 0
  #warnedAt = Number.NEGATIVE_INFINITY
  #forget: () => void = () => {}

  constructor(server: string, probe: () => Promise<unknown>, around: Pick<Host, 'log' | 'clock'>) {
    this.#server = server
    this.#probe = probe
    this.#around = around
  }

  get open(): boolean {
    return this.#open
  }

  /** A request was answered. A probe alone proves little: one that is quick for nobody else must not count. */
  answered(): void {
    this.#tries = 0
  }

  fell(error: unknown): void {
    if (!this.#open) return
    this.#open = false
    this.#later(error)
  }

  /** No probes from now on. */
  dispose(): void {
    this.#closed = true
    this.#forget()
  }

  #later(error: unknown): void {
    if (this.#closed) return
    const { clock, log } = this.#around
    const now = clock.now()
    if (now - this.#warnedAt >= WARN_EVERY_MS) {
      this.#warnedAt = now
      const reason = error instanceof Error ? error.message : String(error)
      log.warn('the embedding server is out of reach; requests go on without it', { server: this.#server, reason })
    }
    const step = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#tries++, 10))
    this.#forget = clock.after(Math.round(step * (0.5 + clock.random() / 2)), () => void this.#try())
  }

  async #try(): Promise<void> {
    try {
      await this.#probe()
    } catch (error) {
      return this.#later(error)
    }
    if (this.#closed) return
    this.#open = true
    this.#around.log.info('the embedding server answers again', { server: this.#server })
  }
}
