import { randomFillSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** The real time and real chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : undefined),
  random: () => Math.random(),
  id: randomId,
}
