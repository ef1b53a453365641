import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from 'deflector'

/** Milliseconds between two samples: what a delay has beyond them, the loop was busy. */
const RESOLUTION = 10
/** What is told is of a whole slice of so many milliseconds. */
const SLICE = 5_000
/** Without another look for so many slices, nothing is measured any more. */
const PATIENCE = 12

/** Delays in milliseconds: half of the samples waited less than `p50`. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/**
 * How long the event loop keeps its callbacks waiting. Measuring wakes the process up, so it lasts while somebody looks.
 * Time is cut into slices, not into looks: however many look, each is told of the same slice.
 */
export class LoopDelay {
  readonly #clock: Clock
  #histogram: IntervalHistogram | undefined
  #forget: (() => void) | undefined
  /** Of the last whole slice. */
  #last: Delays | undefined
  /** Slices that began since the last look. */
  #unseen = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The delays of the last slice; before the first one is over those since it began, and `undefined` at the first look. */
  look(): Delays | undefined {
    this.#unseen = 0
    if (!this.#histogram) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
      this.#histogram.enable()
      this.#await(this.#histogram)
    }
    return this.#last ?? delaysIn(this.#histogram)
  }

  stop(): void {
    this.#forget?.()
    this.#forget = undefined
    this.#histogram?.disable()
    this.#histogram = undefined
    this.#last = undefined
  }

  /** Waits for the end of a slice, and begins the next one. */
  #await(histogram: IntervalHistogram): void {
    this.#forget = this.#clock.after(SLICE, () => {
      if (++this.#unseen >= PATIENCE) return this.stop()
      this.#last = delaysIn(histogram) ?? this.#last
      histogram.reset()
      this.#await(histogram)
    })
  }
}

const delaysIn = (histogram: IntervalHistogram): Delays | undefined =>
  histogram.count === 0
    ? undefined
    : {
        p50: beyond(histogram.percentile(50)),
        p99: beyond(histogram.percentile(99)),
        max: beyond(histogram.max),
      }

/** Nanoseconds between two samples, as the milliseconds that the second one was late. */
const beyond = (ns: number): number => Math.max(0, Math.round((ns / 1e6 - RESOLUTION) * 100) / 100)
