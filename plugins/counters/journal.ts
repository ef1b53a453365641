import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FileLock, type LockClock, LogFile } from 'deflector/files'
import { firstLine, type JournalRecord, lineOf, lockOf, ownerOf } from './journal-lines.ts'
import { OtherJournals } from './other-journals.ts'
import { ReadJournal } from './read-journal.ts'

/** Bytes after which the journal is written anew, as one line for each counter. */
const MOST_BYTES = 1 << 20

/**
 * Changes of counters, appended to a file, so that what was counted before a crash counts after it. Each gateway has a
 * file of its own, and takes over those of gateways that have ended: whose lock is free. Lines: `["key", by, endsAt]`;
 * the first one says which files this one replaces. Changes that come while a write is on its way share the next one,
 * and one sync.
 */
export class Journal {
  /** What gateways count that run on the same folder. */
  readonly others: OtherJournals

  readonly #taken = new Set<string>()
  #owner = ''
  #lock: FileLock | undefined
  #file: LogFile | undefined
  #name = ''
  #bytes = 0
  #pending: string[] = []
  #waiting: { readonly written: () => void; readonly failed: (error: unknown) => void }[] = []
  #writing: Promise<void> | undefined
  #closed = false

  /** `snapshot` gives all that counts now, for a file that is written anew. */
  constructor(
    private readonly folder: string,
    private readonly clock: LockClock,
    private readonly snapshot: () => Iterable<JournalRecord>,
  ) {
    this.others = new OtherJournals(folder, name => ownerOf(name) === this.#owner || this.#taken.has(name))
  }

  /**
   * Reads what was counted by gateways that have ended; `begin` has to follow, once the counters have it. Throws when the
   * folder is unusable.
   */
  async read(): Promise<{ readonly records: readonly JournalRecord[]; begin(): Promise<void> }> {
    await this.#hold()
    const names = (await readdir(this.folder)).filter(name => ownerOf(name) !== undefined)
    const locks = new Map<string, FileLock>()
    for (const owner of new Set(names.flatMap(name => ownerOf(name) ?? []))) {
      const lock = await FileLock.take(join(this.folder, lockOf(owner)), this.clock)
      if (lock) locks.set(owner, lock)
    }
    const ended = new Map<string, ReadJournal>()
    for (const name of names.filter(name => locks.has(ownerOf(name) ?? ''))) {
      const journal = new ReadJournal(join(this.folder, name))
      // One that is gone was taken over by another gateway just now.
      if (await wasRead(journal)) ended.set(name, journal)
      this.#taken.add(name)
    }
    await this.others.look()
    const replaced = new Set([...this.others.replaced, ...[...ended.values()].flatMap(({ replaces }) => replaces)])
    const current = [...ended].filter(([name]) => !replaced.has(name))
    return {
      records: current.flatMap(([, { records }]) => [...records]),
      begin: async () => {
        await this.#begin([...ended.keys()])
        for (const lock of locks.values()) await lock.release()
      },
    }
  }

  /** Resolves once the changes are on the disk, and rejects where they cannot be written. A closed one writes nothing. */
  async append(records: readonly JournalRecord[]): Promise<void> {
    if (this.#closed) return
    this.#pending.push(records.map(lineOf).join(''))
    return new Promise((written, failed) => {
      this.#waiting.push({ written, failed })
      this.#writing ??= this.#writeAll()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#writing
    await this.#file?.close()
    this.#file = undefined
    await this.#lock?.release()
  }

  async #writeAll(): Promise<void> {
    await undefined // all changes of this turn share the first write
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting.splice(0)
      try {
        await this.#write()
        for (const { written } of waiting) written()
      } catch (error) {
        // What a disk that refused has of it is unknown: the next write begins a new file.
        this.#bytes = MOST_BYTES
        for (const { failed } of waiting) failed(error)
      }
    }
    this.#writing = undefined
  }

  async #write(): Promise<void> {
    const lines = this.#pending.splice(0).join('')
    if (!(await this.#lock?.isOurs())) {
      // It slept for so long that another gateway has taken over its journal. What both have then counts twice.
      await this.#hold()
      return this.#begin([])
    }
    // The counters have these changes already, and a new file has all counters.
    if (!this.#file || this.#bytes >= MOST_BYTES) return this.#begin(this.#name === '' ? [] : [this.#name])
    const bytes = Buffer.from(lines)
    await this.#file.append(bytes)
    await this.#file.sync()
    this.#bytes += bytes.length
  }

  /** Becomes an owner that nobody else is. The number of its process is for people. */
  async #hold(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const owner = `${process.pid}.${randomBytes(8).toString('hex')}`
    this.#lock = await FileLock.take(join(this.folder, lockOf(owner)), this.clock)
    this.#owner = owner
    this.#name = ''
  }

  /** Begins a new file in place of others. Before it is whole and on the disk it has another name. */
  async #begin(replaces: readonly string[]): Promise<void> {
    const name = `counters-${this.#owner}-${randomBytes(8).toString('hex')}.jsonl`
    const text = `${firstLine(replaces)}${[...this.snapshot()].map(lineOf).join('')}`
    const path = join(this.folder, name)
    const file = await LogFile.open(`${path}.new`)
    try {
      await file.append(Buffer.from(text))
      await file.sync()
      await rename(`${path}.new`, path)
      await syncFolder(this.folder)
    } catch (error) {
      await file.close()
      await rm(`${path}.new`, { force: true })
      throw error
    }
    await this.#file?.close()
    this.#file = file
    this.#name = name
    this.#bytes = 0
    for (const old of replaces) await rm(join(this.folder, old), { force: true })
  }
}

const wasRead = (journal: ReadJournal): Promise<boolean> =>
  journal.look().then(
    () => true,
    error => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

/** A new name in a folder is on the disk only with the folder. Some systems cannot sync one. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
