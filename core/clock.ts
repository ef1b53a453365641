import { randomFillSync } from 'node:crypto'
import type { Clock } from './host.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz012345'
const ID_LENGTH = 24

/** Random bytes are drawn in bulk: one call to the system for many ids. */
const pool = Buffer.alloc(ID_LENGTH * 128)
let drawn = pool.length

function randomId(): string {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  let id = ''
  for (let i = 0; i < ID_LENGTH; i++) id += ALPHABET[(pool[drawn++] ?? 0) & 31]
  return id
}

/** Node takes a longer time for no time at all. Who asks for more than 24 days waits 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1
const timerMs = (ms: number): number => Math.min(ms, LONGEST_TIMER)

/** node's own makes two errors, with their stacks, for each sleep that is cut short. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const leave = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, timerMs(ms))
    signal?.addEventListener('abort', leave, { once: true })
  })
}

/** The real time and real chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  after(ms, run) {
    const timer = setTimeout(run, timerMs(ms))
    return () => clearTimeout(timer)
  },
  patience: ms => ms,
  random: () => Math.random(),
  id: randomId,
}
