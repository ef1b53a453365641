import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Clock } from 'deflector'
import { z } from 'zod'
import { isRunning, startOf } from './running.ts'

/** The owner shows this often that it lives, and looks whether the lock is still its own. */
const BEAT_MS = 10_000
/** For so long an owner relies on its last beat. */
const RECENT_MS = 30_000
/** An owner that was silent for so long is gone, or asleep. */
const SILENT_MS = 60_000

/** Locks that this process holds: after a crash, a new process may have the number of the old one. */
const held = new Set<string>()

/** What a lock file says of its owner; `id` makes two locks of one process differ. */
const ownerSchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  began: z.string().optional(),
  id: z.string(),
})

/** What locks need of a host's clock. */
export type LockClock = Pick<Clock, 'now' | 'monotonic' | 'after'>

/**
 * One owner for one file, among all processes that take the same lock file. The file of an owner that is gone is taken
 * over: at once where it ran on this machine, after a minute without a beat where it did not, or is asleep.
 */
export class FileLock {
  #isLost = false
  #beatAt: { readonly now: number; readonly monotonic: number }
  #stop: () => void

  private constructor(
    private readonly path: string,
    private readonly mark: string,
    private readonly clock: LockClock,
  ) {
    this.#beatAt = this.#time()
    this.#stop = this.#beatLater()
  }

  /** The process that a lock file names; `undefined` where there is none. */
  static async ownerOf(file: string): Promise<{ readonly pid: number; readonly host: string } | undefined> {
    const owner = ownerIn(await textOf(file))
    return owner && { pid: owner.pid, host: owner.host }
  }

  /** `undefined` where a living process, or another part of this one, holds it. Throws what the disk says. */
  static async take(file: string, clock: LockClock): Promise<FileLock | undefined> {
    const path = resolve(file)
    if (held.has(path)) return undefined
    held.add(path)
    let lock: FileLock | undefined
    try {
      const mark = ownMark()
      if ((await created(path, mark)) || ((await takenAway(path, clock)) && (await created(path, mark))))
        lock = new FileLock(path, mark, clock)
      return lock
    } finally {
      if (!lock) held.delete(path)
    }
  }

  /**
   * False once another process took over. To be asked before each write; it reads the file only where the last beat is
   * more than 30 s old, as after a sleep. Others wait for 60 s, so an answer holds for 30 s: only a process that stops
   * for longer between this answer and its write still writes once. A lock that was taken or removed against these
   * rules is noticed with the next beat, within 10 s.
   */
  async isOurs(): Promise<boolean> {
    if (!this.#isLost && !this.#isRecent()) await this.#beat()
    return !this.#isLost
  }

  /** Removes the file, if it is still this owner's. */
  async release(): Promise<void> {
    this.#stop()
    this.#isLost = true // a beat on its way is the last one
    if ((await textOf(this.path)) === this.mark) await rm(this.path, { force: true })
    held.delete(this.path)
  }

  /** A sign of life first, then the look: who takes over in between finds the sign, and puts the file back. */
  async #beat(): Promise<void> {
    const time = this.#time()
    const seconds = time.now / 1000
    const isShown = await utimes(this.path, seconds, seconds).then(
      () => true,
      () => false,
    )
    if ((await textOf(this.path)) !== this.mark) this.#isLost = true
    else if (isShown) this.#beatAt = time
  }

  #beatLater(): () => void {
    return this.clock.after(BEAT_MS, async () => {
      await this.#beat()
      if (!this.#isLost) this.#stop = this.#beatLater()
    })
  }

  #time(): { readonly now: number; readonly monotonic: number } {
    return { now: this.clock.now(), monotonic: this.clock.monotonic() }
  }

  /** By both clocks: one stands still while the machine is suspended, the other one may be set back. */
  #isRecent(): boolean {
    const { now, monotonic } = this.#time()
    const passed = now - this.#beatAt.now
    return passed >= 0 && passed < RECENT_MS && monotonic - this.#beatAt.monotonic < RECENT_MS
  }
}

const ownMark = (): string =>
  JSON.stringify({ pid: process.pid, host: hostname(), began: startOf(process.pid), id: randomUUID() })

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

/** Creates the lock file; false where there is one. */
async function created(path: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600)
    await handle
      .writeFile(mark)
      .finally(() => handle.close())
      .catch(async error => {
        await rm(path, { force: true })
        throw error
      })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Removes a lock without owner. Two may find the same one: another's that came in between is put back. */
async function takenAway(path: string, clock: LockClock): Promise<boolean> {
  if (!(await isLeft(path, clock))) return false
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return true // another process was faster
  }
  const isStillLeft = await isLeft(aside, clock)
  if (!isStillLeft) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
  return isStillLeft
}

async function isLeft(path: string, clock: LockClock): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
  if (clock.now() - mtimeMs > SILENT_MS) return true
  const owner = ownerIn(await textOf(path))
  if (owner?.host !== hostname()) return false
  return owner.pid === process.pid || !isRunning(owner.pid, owner.began)
}

/** `undefined` for a file that is just being written, or is none of ours: its age decides. */
function ownerIn(text: string | undefined): z.infer<typeof ownerSchema> | undefined {
  try {
    return ownerSchema.parse(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}
