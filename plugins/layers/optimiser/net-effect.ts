import type { Clock, Usage } from 'deflector'
import type { Session } from './sessions.ts'

/** Vendors keep a prompt for about five minutes; a pause that is longer says nothing of ours. */
const CACHE_MS = 240_000
/** A token that is read from a vendor's cache costs about a tenth of one that is not. */
const CACHED_PRICE = 0.1
/** Later requests of sessions that have to be counted before their sum says something. */
const ENOUGH = 20
/** Old counts lose half of their weight in this time, so that a decision is tried again. */
const HALF_LIFE_MS = 1_800_000

/** Sums over later requests of sessions, in tokens. */
interface Tally {
  count: number
  /** Was in the vendor's cache with the request before. */
  expected: number
  /** Of that, was not read from it this time. */
  lost: number
  /** Was not sent, as it costs there. */
  saved: number
}

const empty = (): Tally => ({ count: 0, expected: 0, lost: 0, saved: 0 })

export interface Asked {
  readonly session: Session
  /** Of the instructions as the client sent them, and of whom was asked: another one is no doing of ours. */
  readonly head: string
  readonly savedBytes: number
}

/**
 * What shortening saves, and what it costs where a vendor then no longer finds the prompt in its cache. Requests that were
 * not shortened say how much a vendor loses by itself.
 */
export class NetEffect {
  readonly #shortened = empty()
  readonly #plain = empty()
  #decayed: number

  constructor(readonly clock: Pick<Clock, 'monotonic'>) {
    this.#decayed = clock.monotonic()
  }

  /** Would a new session gain by it, for all that is known? */
  get pays(): boolean {
    this.#decay()
    if (this.#shortened.count < ENOUGH) return true
    return this.#shortened.saved >= this.#cost
  }

  get #cost(): number {
    const { expected, lost } = this.#shortened
    const usual = this.#plain.count < ENOUGH ? 0 : this.#plain.lost / Math.max(1, this.#plain.expected)
    return Math.max(0, lost - usual * expected) * (1 - CACHED_PRICE)
  }

  /** Counts one answered vendor call, by what the vendor says of its tokens. */
  count({ session, head, savedBytes }: Asked, { cacheRead = 0, cacheWrite = 0 }: Usage): void {
    const at = this.clock.monotonic()
    const { last } = session
    session.last = { at, head, cached: cacheRead + cacheWrite }
    if (!last || last.head !== head || at - last.at > CACHE_MS || last.cached === 0) return
    this.#decay()
    const tally = savedBytes > 0 ? this.#shortened : this.#plain
    tally.count++
    tally.expected += last.cached
    tally.lost += Math.max(0, last.cached - cacheRead)
    tally.saved += (savedBytes / BYTES_PER_TOKEN) * (cacheRead > 0 ? CACHED_PRICE : 1)
  }

  #decay(): void {
    const now = this.clock.monotonic()
    const factor = 0.5 ** ((now - this.#decayed) / HALF_LIFE_MS)
    if (factor > 0.99) return
    this.#decayed = now
    for (const tally of [this.#shortened, this.#plain]) {
      tally.count *= factor
      tally.expected *= factor
      tally.lost *= factor
      tally.saved *= factor
    }
  }
}

const BYTES_PER_TOKEN = 4
