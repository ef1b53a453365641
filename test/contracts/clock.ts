import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from 'deflector'

interface Sleeper {
  readonly due: number
  wake(): void
}

/** Time that stands still until a test moves it, chance that is always the same, ids that count up. */
export class ManualClock implements Clock {
  #now: number
  #set = 0
  #ids = 0
  #sleepers: Sleeper[] = []

  /** `random` gives the next throw of the dice, in [0, 1). */
  constructor(
    now = Date.UTC(2026, 0, 1),
    readonly random: () => number = () => 0.5,
  ) {
    this.#now = now
  }

  now(): number {
    return this.#now + this.#set
  }

  monotonic(): number {
    return this.#now
  }

  /** Sets the time of day by so much, back or forth, as an operator does; no time passes. */
  set(ms: number): void {
    this.#set += ms
  }

  patience(ms: number): number {
    return ms
  }

  id(): string {
    this.#ids++
    return `id${String(this.#ids).padStart(22, '0')}`
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const forget = (): void => {
        this.#sleepers = this.#sleepers.filter(other => other !== sleeper)
        signal?.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        forget()
        reject(signal?.reason)
      }
      const wake = (): void => {
        forget()
        resolve()
      }
      const sleeper: Sleeper = { due: this.#now + ms, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  after(ms: number, run: () => void): () => void {
    const cancel = (): void => {
      this.#sleepers = this.#sleepers.filter(other => other !== sleeper)
    }
    const wake = (): void => {
      cancel()
      run()
    }
    const sleeper: Sleeper = { due: this.#now + ms, wake }
    this.#sleepers.push(sleeper)
    return cancel
  }

  /** How many are asleep now. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Moves time on and wakes whoever is due, each at its own time; await it to let them run. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      const [next] = this.#sleepers.filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)
      if (!next) break
      this.#now = Math.max(this.#now, next.due)
      next.wake()
      await nextTurn()
    }
    this.#now = until
  }
}
