import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from 'deflector'

/** Milliseconds between two samples: what a delay has beyond them, the loop was busy. */
const RESOLUTION = 10
/** Without another look for so long, nothing is measured any more, in milliseconds. */
const PATIENCE = 60_000

/** Delays in milliseconds: half of the samples waited less than `p50`. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** How long the event loop keeps its callbacks waiting. Measuring wakes the process up, so it lasts while somebody looks. */
export class LoopDelay {
  readonly #clock: Clock
  #histogram: IntervalHistogram | undefined
  #forget: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The delays since the last look; `undefined` at the first one. */
  look(): Delays | undefined {
    this.#forget?.()
    this.#forget = this.#clock.after(PATIENCE, () => this.stop())
    const histogram = this.#histogram
    if (!histogram) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
      this.#histogram.enable()
      return undefined
    }
    if (histogram.count === 0) return undefined
    const delays = {
      p50: beyond(histogram.percentile(50)),
      p99: beyond(histogram.percentile(99)),
      max: beyond(histogram.max),
    }
    histogram.reset()
    return delays
  }

  stop(): void {
    this.#forget?.()
    this.#forget = undefined
    this.#histogram?.disable()
    this.#histogram = undefined
  }
}

/** Nanoseconds between two samples, as the milliseconds that the second one was late. */
const beyond = (ns: number): number => Math.max(0, Math.round((ns / 1e6 - RESOLUTION) * 100) / 100)
