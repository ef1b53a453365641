import { setTimeout as pause } from 'node:timers/promises'
import { FileLock, type LockClock } from 'deflector/files'
import { CredentialError } from './credential.ts'
import { codeOf } from './private-file.ts'

/** Milliseconds between two tries. */
const RETRY_MS = 20
/** Longer than any holder works: a token request ends after 10 s. */
const PATIENCE_MS = 30_000

/** The command line has no host, whose clock it could use. */
const clock: LockClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Runs alone among all processes that take the same lock file. Throws `CredentialError` where another process holds it
 * for 30 s.
 */
export async function alone<T>(file: string, run: () => Promise<T>): Promise<T> {
  const until = clock.now() + PATIENCE_MS
  let lock = await taken(file)
  while (!lock) {
    if (clock.now() > until)
      throw new CredentialError(`${file} is held by another process; end it, or remove this file, and try again`)
    await pause(RETRY_MS + Math.random() * RETRY_MS)
    lock = await taken(file)
  }
  try {
    return await run()
  } finally {
    await lock.release()
  }
}

const taken = (file: string): Promise<FileLock | undefined> =>
  FileLock.take(file, clock).catch(error => {
    throw new CredentialError(`${file} cannot be created (${codeOf(error) ?? 'unknown error'}); check its folder`)
  })
