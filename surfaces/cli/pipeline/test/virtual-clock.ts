import type { Clock } from 'deflector'

interface Sleeper {
  readonly until: number
  wake(): void
}

/** Turns of the event loop without anything on the wire until the clock may jump. */
const QUIET_TURNS = 12
const TURN_MS = 4
/** After so many turns of work, about a minute, a plugin's thread is taken to be idle: it ought to be without reference. */
const MOST_TURNS = 15_000

/**
 * The clock of a test. It stands still; it moves when the test says so, and to the next sleeper once nothing goes on
 * any more while somebody waits for a reply. Gateway, upstream and client live in one process, so quiet is counted in
 * turns of its event loop in which no thread works on a file: a slow machine makes tests slower, never different.
 */
export class VirtualClock implements Clock {
  readonly #sleepers = new Set<Sleeper>()
  readonly #id: () => string
  #now: number
  #quiet = 0
  /** Turns with work, one after the other. */
  #busy = 0

  constructor(start: number, id: () => string) {
    this.#now = start
    this.#id = id
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  /** Always 0: a full-jitter backoff does not wait at all. */
  random(): number {
    return 0
  }

  id(): string {
    return this.#id()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const leave = (): void => {
        this.#sleepers.delete(sleeper)
        reject(signal?.reason)
      }
      const sleeper = {
        until: this.#now + Math.max(0, ms),
        wake: () => {
          this.#sleepers.delete(sleeper)
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      if (ms <= 0) return resolve()
      signal?.addEventListener('abort', leave, { once: true })
      this.#sleepers.add(sleeper)
    })
  }

  after(ms: number, run: () => void): () => void {
    const cancel = (): void => void this.#sleepers.delete(sleeper)
    const wake = (): void => {
      cancel()
      run()
    }
    const sleeper = { until: this.#now + Math.max(0, ms), wake }
    this.#sleepers.add(sleeper)
    return cancel
  }

  /** Another process goes on while this clock stands still, and nothing on the wire tells of it. */
  patience(): number {
    return Number.POSITIVE_INFINITY
  }

  advance(ms: number): void {
    this.#now += ms
    for (const sleeper of [...this.#sleepers].sort((a, b) => a.until - b.until)) {
      if (sleeper.until <= this.#now) sleeper.wake()
    }
  }

  /** Something moved on the wire. */
  stir(): void {
    this.#quiet = 0
  }

  /** Lets time pass for those who sleep, as long as `work` is not done. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#quiet = 0
    const turn = setInterval(() => {
      this.#busy = isAtWork() ? this.#busy + 1 : 0
      if (this.#busy > 0 && this.#busy < MOST_TURNS) this.#quiet = 0
      else if (++this.#quiet >= QUIET_TURNS && this.#sleepers.size > 0) this.#leap()
    }, TURN_MS)
    try {
      return await work
    } finally {
      clearInterval(turn)
    }
  }

  /** To the next sleeper. */
  #leap(): void {
    this.#quiet = 0
    this.advance(Math.min(...[...this.#sleepers].map(({ until }) => until)) - this.#now)
  }
}

/**
 * Reads and writes of files, look-ups of names, and what a thread was asked: the event loop turns meanwhile. A thread that
 * is asked nothing has to be without reference.
 */
const AT_WORK = /^(?:FSReq|GetAddrInfoReq|MessagePort$)/

/** A reservation, say, is on the disk before its call goes out, and a disk may be slow. */
const isAtWork = (): boolean => process.getActiveResourcesInfo().some(name => AT_WORK.test(name))
