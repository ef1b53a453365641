import { setImmediate } from 'node:timers'

/** Counts the turns of the event loop until `stop` is called. */
export function countTurns(): { readonly turns: number; stop(): void } {
  let turns = 0
  let next = setImmediate(function count() {
    turns++
    next = setImmediate(count)
  })
  return {
    get turns() {
      return turns
    },
    stop: () => clearImmediate(next),
  }
}

/** Holds the event loop for longer than a slice of time, two milliseconds. */
export function busy(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
}
