import { setImmediate } from 'node:timers'

/** Work that may take longer gives the event loop back after this time. */
const SLICE_MS = 1

const monotonic = (): number => performance.now()

const waiting: (() => void)[] = []

/** The next free turn of the event loop. Each is given to one only, or the slices of several bodies would add up. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(next)
  })
}

function next(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}

/** Gives, once a slice of time is used up, a turn to wait for; else nothing. To be called between two pieces of work. */
export function timeSlice(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined
    return nextTurn().then(() => {
      began = performance.now()
    })
  }
}

/**
 * The same for work that comes in small pieces from many requests at once: what they do in one turn of the event loop
 * counts together. Once the slice is used up, who comes waits in a line. Each turn takes as many from it as a slice has
 * time for; nobody passes those who wait, or under load some would wait for ever.
 */
export function sharedTimeSlice(sliceMs = SLICE_MS, now: () => number = monotonic): () => Promise<void> | undefined {
  const line: (() => void)[] = []
  let began: number | undefined
  const begin = (): void => {
    began = now()
    setImmediate(() => void serve())
  }
  const isUsedUp = (): boolean => began !== undefined && now() - began >= sliceMs
  /** Runs at the end of a turn, and so begins the slice of the next one. */
  const serve = async (): Promise<void> => {
    began = undefined
    if (line.length === 0) return
    begin()
    let served = 0
    do {
      line[served++]?.()
      // Behind all that follows from it in this turn: ticks come after promises, but the first of a turn before them.
      await undefined
      await new Promise<void>(resolve => process.nextTick(resolve))
    } while (served < line.length && !isUsedUp())
    line.splice(0, served)
  }
  return () => {
    if (began === undefined) begin()
    if (line.length === 0 && !isUsedUp()) return undefined
    return new Promise(resolve => void line.push(resolve))
  }
}

/** A turn with frames of many streams is longer than most, and each wait costs a turn in which nothing is written. */
const FRAMES_MS = 3

/**
 * The slice of all streamed frames, while they are read from vendors and by clients. Frames come in bursts, and a reader
 * who joins late finds many at once; a frame that comes alone never waits.
 */
export const yieldBetweenFrames = sharedTimeSlice(FRAMES_MS)

let turn = 0
let isCounting = false

/** A number that is another one in each turn of the event loop. */
function currentTurn(): number {
  if (!isCounting) {
    isCounting = true
    setImmediate(() => {
      isCounting = false
      turn++
    })
  }
  return turn
}

/** Frames, or lists of them, that one stream may pass on in a turn before it asks whether others have waited long. */
const FREE_FRAMES = 8

/**
 * `yieldBetweenFrames` for one stream: only a burst waits. Where many streams are busy, one that waited with each of its
 * frames would hardly get on.
 */
export function yieldInBursts(): () => Promise<void> | undefined {
  let seen = 0
  let last = -1
  return () => {
    const now = currentTurn()
    if (now !== last) seen = 0
    last = now
    if (seen++ < FREE_FRAMES) return undefined
    return yieldBetweenFrames()?.then(() => {
      // The burst goes on in this turn.
      last = currentTurn()
    })
  }
}
