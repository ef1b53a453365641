import type { Clock } from 'deflector'
import type { Considered } from './messages.ts'

/** Why a lookup has no result: the engine was `busy` or late, is `down`, or `failed` at it. */
export type NoResult = 'busy' | 'down' | 'failed'
export type Result = readonly Considered[] | NoResult

/**
 * A queue that empties now and then takes up a burst, and each lookup in it may wait as long as it likes. Where the queue
 * has stood for `STANDING_MS`, or most lookups are refused, it only makes all wait: no lookup joins it then where others
 * would take more than `STANDING_SHARE` of its time. The distinction and its time are those of CoDel (RFC 8289, section 3).
 */
const STANDING_MS = 100
const STANDING_SHARE = 1 / 4
const MOST_REFUSED = 1 / 2
/** Most lookups under way, however quick they are. */
const MOST = 256
/** What took longer was stopped, with all this process or with the machine. */
const LONGEST_MS = 1000
/** Weight of the latest lookup in the running means. */
const LATEST = 0.05

interface Awaited {
  readonly resolve: (result: Result) => void
  /** Of the monotonic clock. */
  readonly due: number
}

/**
 * The lookups that the engine has to answer. Refuses one that would wait too long behind others, and ends the wait of one
 * that is late. One timer serves all.
 */
export class Lookups {
  readonly #clock: Clock
  readonly #late: (id: number) => void
  readonly #awaited = new Map<number, Awaited>()
  /** Sent and not answered, also those that nobody awaits any more. */
  #owed = 0
  /** When the queue last began, of the monotonic clock. */
  #busySince = 0
  /** When the engine could begin with the first that it owes, or was done with the last, of the monotonic clock. */
  #beganAt = 0
  /** From then to its answer: with the time that other work or other processes took. */
  #meanMs = 0
  /** Share of the latest lookups. */
  #refused = 0
  #lastId = 0
  /** For the first that is due. */
  #timer: { readonly due: number; readonly cancel: () => void } | undefined

  /** `late` hears of a lookup that is awaited no more. */
  constructor(clock: Clock, late: (id: number) => void) {
    this.#clock = clock
    this.#late = late
  }

  get owed(): number {
    return this.#owed
  }

  /** Is there time for one more, which may take `waitMs`? Asked once for each lookup. */
  admits(waitMs: number): boolean {
    // What was refused before a rest says nothing about now.
    if (this.#owed === 0 && this.#clock.monotonic() - this.#beganAt > STANDING_MS) this.#refused = 0
    const full = this.#isFull(waitMs)
    this.#refused += LATEST * (Number(full) - this.#refused)
    return !full
  }

  #isFull(waitMs: number): boolean {
    if (this.#owed === 0) return false
    const stands = this.#clock.monotonic() - this.#busySince > STANDING_MS || this.#refused > MOST_REFUSED
    return this.#owed >= MOST || this.#owed * this.#meanMs > (stands ? STANDING_SHARE : 1) * waitMs
  }

  /** A lookup that resolves within `waitMs`. `send` is handed its id. */
  open(waitMs: number, send: (id: number) => void): Promise<Result> {
    const id = (this.#lastId + 1) >>> 0
    this.#lastId = id
    const now = this.#clock.monotonic()
    if (this.#owed++ === 0) {
      this.#busySince = now
      this.#beganAt = now
    }
    const due = now + waitMs
    return new Promise(resolve => {
      this.#awaited.set(id, { resolve, due })
      if (due < Number.POSITIVE_INFINITY) this.#wakeAt(due, waitMs)
      send(id)
    })
  }

  /** The engine is done with it. */
  close(id: number, result: Result): void {
    const now = this.#clock.monotonic()
    const ms = Math.min(now - this.#beganAt, LONGEST_MS)
    this.#meanMs += (this.#meanMs === 0 ? 1 : LATEST) * (ms - this.#meanMs)
    this.#beganAt = now
    this.#awaited.get(id)?.resolve(result)
    this.drop(id)
  }

  /** The engine left it out, as nobody awaits it any more. */
  drop(id: number): void {
    this.#owed--
    this.#awaited.delete(id)
  }

  /** The engine is gone, and with it all that it owed. */
  abandon(): void {
    this.#owed = 0
    this.#meanMs = 0
    this.#refused = 0
    this.#stopTimer()
    for (const { resolve } of this.#awaited.values()) resolve('down')
    this.#awaited.clear()
  }

  #wakeAt(due: number, ms: number): void {
    if (this.#timer && this.#timer.due <= due) return
    this.#stopTimer()
    // The event loop gets one more turn: an answer that came while this process was busy is not late.
    this.#timer = { due, cancel: this.#clock.after(ms, () => setImmediate(() => this.#endLate())) }
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #endLate(): void {
    this.#stopTimer()
    const now = this.#clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    for (const [id, { due, resolve }] of this.#awaited) {
      if (due > now) {
        next = Math.min(next, due)
        continue
      }
      this.#awaited.delete(id)
      this.#late(id)
      resolve('busy')
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next, next - now)
  }
}
