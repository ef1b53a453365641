import type { CounterChange, Counters, CountersChanged, Host } from 'deflector'
import { type LocalChange, type LocalCounters, takenBack } from './local-counters.ts'

/** So soon is a store tried again that was out of reach. */
const RETRY_MS = 1000

/**
 * Counters of this gateway and, where there is a store that counts, of all gateways that use it. A limit holds for both:
 * what this gateway counted itself holds where the store is out of reach or has lost its counters. What was counted
 * meanwhile is told to the store when it is back, also where no call follows.
 */
export class SharedCounters {
  readonly #log: Host['log']
  readonly #clock: Host['clock']
  /** What the store has yet to be told, by counter. */
  readonly #untold = new Map<string, CounterChange>()
  /** The last known numbers, where they are more than this gateway's own. */
  readonly #seen = new Map<string, { readonly count: number; readonly endsAt: number }>()

  #store: Counters | undefined
  #isAway = false
  /** Stops waiting for the next try to tell the store. */
  #waiting: (() => void) | undefined

  constructor(
    readonly local: LocalCounters,
    { log, clock }: Pick<Host, 'log' | 'clock'>,
  ) {
    this.#log = log
    this.#clock = clock
  }

  /** The store of the generation that serves, if it has one. */
  use(store: Counters | undefined): void {
    this.#store = store
    this.#isAway &&= store !== undefined
  }

  /** Is the store out of reach, so that what other gateways count is not known? */
  get isStale(): boolean {
    return this.#isAway
  }

  /** Tells the store what it has yet to be told, if that is possible now. */
  async close(): Promise<void> {
    if (this.#store && this.#untold.size > 0) await this.#tellLate(this.#store)
    this.#waiting?.()
  }

  /**
   * All changes, or none where one would pass its limit. Where they are made, they are on the disk and in the store, if
   * each of these works. Never throws. Without a store the limits are looked at before this returns.
   */
  async change(changes: readonly LocalChange[]): Promise<CountersChanged> {
    if (!this.#store) return this.local.changeTogether(changes)
    const own = this.local.change(changes)
    if (!own.made) return own
    const [shared] = await Promise.all([this.#changeShared(this.#store, changes), own.written])
    if (!shared) return own
    if (!shared.made) await this.local.change(changes.map(takenBack)).written
    return shared
  }

  /** The last known number of a counter. */
  count(key: string): number {
    return Math.max(this.local.count(key), this.#seen.get(key)?.count ?? 0)
  }

  /** Asks the store for these counters, so that `count` knows what other gateways counted. */
  async refresh(counters: readonly Pick<CounterChange, 'key' | 'endsAt'>[]): Promise<void> {
    if (!this.#store) await this.local.refresh()
    else if (counters.length > 0)
      await this.#changeShared(
        this.#store,
        counters.map(counter => ({ ...counter, by: 0 })),
      )
  }

  /** `undefined` where the store is out of reach: then it is told later. */
  async #changeShared(store: Counters, changes: readonly CounterChange[]): Promise<CountersChanged | undefined> {
    // A store answers in order, so the limits are looked at after what it had yet to be told.
    const late = this.#tellLate(store)
    try {
      const changed = await store.change(changes)
      await late
      this.#see(changes, changed.counts)
      this.#back()
      return changed
    } catch (error) {
      this.#owe(changes)
      const message = 'the store of shared counters is out of reach; each gateway counts for itself until it is back'
      this.#log.degraded('counters', message, { error: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }

  async #tellLate(store: Counters): Promise<void> {
    this.#waiting?.()
    this.#waiting = undefined
    const now = this.#clock.now()
    const untold = [...this.#untold.values()]
    if (untold.length === 0) return
    this.#untold.clear()
    const open = untold.filter(({ endsAt }) => endsAt > now)
    // Of what has ended nothing is told, but one number is asked for: is the store back?
    const late = open.length > 0 ? open : untold.slice(0, 1).map(ended => ({ ...ended, by: 0 }))
    try {
      this.#see(late, (await store.change(late)).counts)
      this.#back()
    } catch {
      this.#owe(late)
    }
  }

  #back(): void {
    this.#isAway = false
    this.#log.recovered('counters', 'the store of shared counters counts again')
  }

  /** A counter that comes to 0 is asked for all the same: the store's number is not known. */
  #owe(changes: readonly CounterChange[]): void {
    for (const { key, by, endsAt } of changes)
      this.#untold.set(key, { key, by: by + (this.#untold.get(key)?.by ?? 0), endsAt })
    this.#isAway = true
    this.#waiting ??= this.#clock.after(RETRY_MS, () => {
      this.#waiting = undefined
      if (this.#store) void this.#tellLate(this.#store)
    })
  }

  #see(changes: readonly CounterChange[], counts: readonly number[]): void {
    for (const [i, { key, endsAt }] of changes.entries()) {
      if (!this.#seen.has(key)) this.#forgetEnded()
      this.#seen.set(key, { count: counts[i] ?? 0, endsAt })
    }
  }

  #forgetEnded(): void {
    const now = this.#clock.now()
    for (const [key, { endsAt }] of this.#seen) if (endsAt <= now) this.#seen.delete(key)
  }
}
