import { closeSync, openSync, rmSync, statSync } from 'node:fs'

/** A turn takes far less: whose lock is older has been killed in it. */
const STALE_MS = 1000
const TRY_AGAIN_MS = 2

const asleep = new Int32Array(new SharedArrayBuffer(4))

/**
 * Runs while no other process has its turn at this file: what it reads of the file is still so when it replaces it. It
 * has to be short, as others wait for it, and so does whoever calls. Throws the system's error where no lock can be made.
 */
export function inWriteTurn<T>(path: string, run: () => T): T {
  const lock = `${path}.lock`
  while (!taken(lock)) {
    if (isStale(lock)) rmSync(lock, { force: true })
    else Atomics.wait(asleep, 0, 0, TRY_AGAIN_MS)
  }
  try {
    return run()
  } finally {
    rmSync(lock, { force: true })
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** One that is dated to the future is stale, too: a clock was set back. */
function isStale(lock: string): boolean {
  const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? {}
  return mtimeMs !== undefined && Math.abs(Date.now() - mtimeMs) > STALE_MS
}
