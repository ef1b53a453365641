import { type Attempt, type AttemptOutcome, isProviderError, type ProviderReason } from 'deflector'
import type { ProviderCheck } from 'deflector/facets/provider-endpoint'

/** Weight of the latest value in a moving average. */
const LATEST = 0.2
/** Milliseconds in which what was counted as recent loses half its weight. */
const HALF_LIFE = 60_000
/** Milliseconds after which a latency says nothing of today's. */
const STALE = 300_000
/** Longest error text that is kept, in characters. */
const LONGEST = 500

/** Failures that say nothing of a provider: they are the request's own. */
const REQUESTS_OWN: ReadonlySet<ProviderReason> = new Set(['bad_request', 'context', 'unsayable', 'untellable'])

/** How one provider did, since the gateway began. Times are milliseconds since 1970. */
export interface ProviderRecord {
  requests: number
  errors: number
  lastSuccess: number | undefined
  lastError: number | undefined
  lastErrorMessage: string | undefined
  /** The latest word on it, of traffic or of a check. */
  failing: boolean | undefined
  lastCheck: number | undefined
  /** Milliseconds of answers that came whole. */
  readonly wholes: Moving
  /** Milliseconds until a stream's first content. */
  readonly streams: Moving
  readonly recent: Recent
}

/** A moving average, and the monotonic time of its last value. */
interface Moving {
  average: number | undefined
  at: number
}

/** Attempts and failures that lose weight with time. */
interface Recent {
  attempts: number
  failures: number
  /** Monotonic. */
  at: number
}

/** What is remembered of each provider. It outlives a reload, and is bounded by the number of names. */
export class ProviderRecords {
  readonly #records = new Map<string, ProviderRecord>()

  constructor(private readonly clock: { now(): number; monotonic(): number }) {}

  of(name: string): ProviderRecord {
    const known = this.#records.get(name)
    if (known) return known
    const record: ProviderRecord = {
      requests: 0,
      errors: 0,
      lastSuccess: undefined,
      lastError: undefined,
      lastErrorMessage: undefined,
      failing: undefined,
      lastCheck: undefined,
      wholes: { average: undefined, at: 0 },
      streams: { average: undefined, at: 0 },
      recent: { attempts: 0, failures: 0, at: 0 },
    }
    this.#records.set(name, record)
    return record
  }

  /** Drops all that is known of others: their providers left the chain. */
  retain(names: readonly string[]): void {
    for (const name of this.#records.keys()) if (!names.includes(name)) this.#records.delete(name)
  }

  /** An attempt ended. `scrub` takes the provider's keys out of a text; only `timed` ones count for its latency. */
  attempted({ provider, stream }: Attempt, ended: AttemptOutcome, scrub: (text: string) => string, timed = true): void {
    const { outcome, error, ms, firstTokenMs } = ended
    const reason = isProviderError(error) ? error.reason : undefined
    // The vendor was never called.
    if (outcome === 'refused' || reason === 'unsayable') return
    const record = this.of(provider)
    record.requests++
    if (outcome === 'cancelled') return
    if (outcome === 'answered') {
      this.#count(record.recent, false)
      record.lastSuccess = this.clock.now()
      record.failing = false
      if (timed) this.#measure(stream ? record.streams : record.wholes, stream ? (firstTokenMs ?? ms) : ms)
      return
    }
    if (reason !== undefined && REQUESTS_OWN.has(reason)) return
    this.#count(record.recent, true)
    record.errors++
    this.#fail(record, scrub(error instanceof Error ? error.message : 'the provider failed'))
  }

  /** It was slower than another provider that was asked after it: at least so slow. */
  outrun(provider: string, stream: boolean, ms: number): void {
    const moving = this.of(provider)[stream ? 'streams' : 'wholes']
    if (moving.average === undefined || ms > moving.average) this.#measure(moving, ms)
  }

  /** A check of its endpoint ended. Checks count neither as requests nor as errors. */
  checked(provider: string, check: ProviderCheck, scrub: (text: string) => string): void {
    const record = this.of(provider)
    const now = this.clock.now()
    record.lastCheck = now
    if (check.error !== undefined) {
      this.#fail(record, scrub(check.error))
      return
    }
    record.lastSuccess = now
    record.failing = false
  }

  /** Share of recent attempts that failed, 0 to 1. One that is not asked is forgiven with time. */
  failureShare(name: string): number {
    const { attempts, failures, at } = this.of(name).recent
    const left = this.#left(at)
    return (failures * left) / (attempts * left + 1)
  }

  /** Milliseconds that it took of late: to the first content of a stream, or to a whole answer. */
  latency(name: string, stream: boolean): number | undefined {
    const { average, at } = this.of(name)[stream ? 'streams' : 'wholes']
    return average !== undefined && this.clock.monotonic() - at < STALE ? average : undefined
  }

  #fail(record: ProviderRecord, message: string): void {
    record.lastError = this.clock.now()
    record.lastErrorMessage = message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST)
    record.failing = true
  }

  #count(recent: Recent, failed: boolean): void {
    const left = this.#left(recent.at)
    recent.attempts = recent.attempts * left + 1
    recent.failures = recent.failures * left + (failed ? 1 : 0)
    recent.at = this.clock.monotonic()
  }

  #measure(moving: Moving, ms: number): void {
    moving.average = moving.average === undefined ? ms : moving.average + LATEST * (ms - moving.average)
    moving.at = this.clock.monotonic()
  }

  #left(at: number): number {
    return 0.5 ** ((this.clock.monotonic() - at) / HALF_LIFE)
  }
}
