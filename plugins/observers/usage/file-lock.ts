import { readFileSync, rmSync } from 'node:fs'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Clock } from 'deflector'

/** The holder shows this often that it lives. */
const BEAT_MS = 10_000
/** A holder that was silent for so long is gone, or asleep. */
const SILENT_MS = 60_000

/** Locks that this process holds: after a crash, a new process may have the number of the old one. */
const held = new Set<string>()

/** One writer for one file. */
export interface FileLock {
  /** False once another process took it, because this one was asleep for long. */
  isOurs(): boolean
  release(): void
}

/** Takes a lock file, or returns `undefined` where a living process holds it. Throws what the disk says. */
export async function takeLock(path: string, clock: Clock): Promise<FileLock | undefined> {
  const own = JSON.stringify({ pid: process.pid, host: hostname(), id: clock.id() })
  if (held.has(path)) return undefined
  if (!(await created(path, own))) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (!(await isLeft(path, text, clock)) || !(await takenAway(path, text)) || !(await created(path, own)))
      return undefined
  }
  held.add(path)
  let stop = clock.after(BEAT_MS, beat)
  function beat(): void {
    const now = clock.now() / 1000
    if (isOurs()) void utimes(path, now, now).catch(() => {})
    stop = clock.after(BEAT_MS, beat)
  }
  const isOurs = (): boolean => {
    try {
      return readFileSync(path, 'utf8') === own
    } catch {
      return false
    }
  }
  return {
    isOurs,
    release() {
      stop()
      held.delete(path)
      if (isOurs()) rmSync(path, { force: true })
    },
  }
}

const created = (path: string, text: string): Promise<boolean> =>
  writeFile(path, text, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    error => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

async function isLeft(path: string, text: string, clock: Clock): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
  if (clock.now() - mtimeMs > SILENT_MS) return true
  const { pid, host } = holderOf(text)
  if (pid === undefined || host !== hostname()) return false
  return pid === process.pid || !isAlive(pid)
}

function holderOf(text: string): { readonly pid?: number; readonly host?: string } {
  try {
    const { pid, host } = JSON.parse(text)
    return { pid: Number(pid), host: String(host) }
  } catch {
    return {}
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Two may find the same lock left: who moves another's away, which came in between, puts it back. */
async function takenAway(path: string, text: string): Promise<boolean> {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
  } catch {
    return true
  }
  const same = (await readFile(aside, 'utf8').catch(() => text)) === text
  if (same) await rm(aside, { force: true })
  else await rename(aside, path)
  return same
}
