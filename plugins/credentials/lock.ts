import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { CredentialError } from './credential.ts'
import { codeOf } from './private-file.ts'

/** Milliseconds between two tries. */
const RETRY_MS = 20
/** Longer than any holder works: a token request ends after 10 s. */
const PATIENCE_MS = 30_000
/** A lock of another machine whose age passes this, in milliseconds, has no holder any more. */
const ABANDONED_MS = 60_000

/**
 * Runs alone among all processes that take the same lock file. The file of a process that is gone is taken over. Throws
 * `CredentialError` where another process holds it for 30 s.
 */
export async function alone<T>(file: string, run: () => Promise<T>): Promise<T> {
  const mark = `${process.pid} ${hostname()} ${randomBytes(8).toString('hex')}`
  const until = Date.now() + PATIENCE_MS
  while (!(await taken(file, mark))) {
    if (await isAbandoned(file)) await takeAway(file)
    else if (Date.now() > until)
      throw new CredentialError(`${file} is held by another process; end it, or remove this file, and try again`)
    else await pause(RETRY_MS + Math.random() * RETRY_MS)
  }
  try {
    return await run()
  } finally {
    // Another process may have taken over a lock that was held for too long.
    if ((await markOf(file)) === mark) await rm(file, { force: true })
  }
}

async function taken(file: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(mark).finally(() => handle.close())
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new CredentialError(`${file} cannot be created (${codeOf(error) ?? 'unknown error'}); check its folder`)
  }
}

const markOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)

async function isAbandoned(file: string): Promise<boolean> {
  const mark = await markOf(file)
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (age > ABANDONED_MS) return true
  const [pid, host] = mark?.split(' ') ?? []
  return host === hostname() && !isRunning(Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH' // a process of another user is running, too
  }
}

/** Removes a lock without holder. One that another process took in between is put back. */
async function takeAway(file: string): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await rename(file, aside)
  } catch {
    return // another process was faster
  }
  if (!(await isAbandoned(aside))) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}
