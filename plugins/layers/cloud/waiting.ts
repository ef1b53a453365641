import type { Clock, ProviderError, ProviderReason } from 'deflector'
import type { KeyChoice } from './key-pool.ts'

export interface WaitOptions {
  readonly retryBaseMs: number
  readonly retryCapMs: number
  /** Longest time in all that one request waits because vendors ask for it. */
  readonly patienceMs: number
}

/** Failures that the next attempt at the same provider would meet again. */
const FINAL = new Set<ProviderReason>(['quota', 'credential', 'bad_request', 'context', 'unsayable', 'untellable'])

/** The waits of one request between its attempts. */
export class Waits {
  #patienceMs: number

  constructor(
    private readonly clock: Clock,
    private readonly options: WaitOptions,
  ) {
    this.#patienceMs = options.patienceMs
  }

  /** A wait that a vendor asked for, taken from what is left of the patience; `undefined` when it is longer. */
  patiently(ms: number): number | undefined {
    if (ms > this.#patienceMs) return undefined
    this.#patienceMs -= ms
    return ms
  }

  /** The wait before the same provider is asked again; `undefined` when it is not. `keyChoice` is the state of its keys. */
  before(attempt: number, { reason, status, retryAfterMs }: ProviderError, keyChoice?: KeyChoice): number | undefined {
    // 508 comes from a loop guard, ours or another gateway's: the next attempt would meet it again.
    if (FINAL.has(reason) || status === 508) return undefined
    if (reason === 'gave_up' && attempt > 1) return undefined
    if (retryAfterMs !== undefined)
      return this.patiently(
        reason === 'rate_limited' && keyChoice?.state === 'cooling' ? keyChoice.recoveryMs : retryAfterMs,
      )
    // The vendor named no time, so the key rests as we please: the next provider is asked, or the client comes again.
    if (reason === 'rate_limited' && keyChoice) return undefined
    const doublings = attempt - 1 + (status === 529 ? 2 : 0)
    return this.clock.random() * Math.min(this.options.retryCapMs, this.options.retryBaseMs * 2 ** doublings)
  }

  /** Timers may fire a little early, and a key that still cools down must not be used. */
  async until(at: number, signal: AbortSignal): Promise<void> {
    for (let ms = at - this.clock.monotonic(); ms > 0; ms = at - this.clock.monotonic())
      await this.clock.sleep(ms, signal)
  }
}
