import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from 'deflector'
import { FileLock, LogFile, linesOf, sizeOf } from 'deflector/files'
import { type Aggregates, dayOf } from './aggregates.ts'
import { loadBooks, saveBooks } from './books-file.ts'
import { readEvent } from './event.ts'

/** Processes that may write side by side into one folder. */
const MOST_WRITERS = 64
const DAY_MS = 86_400_000

/** A day's log of which the sums do not stand for all. */
interface Rest {
  readonly path: string
  readonly day: number
  readonly from: number
  readonly size: number
}

const LOG_NAME = /^(usage(?:-\d{1,2})?)(?:\.\d{4}-\d{2}-\d{2})?\.jsonl$/

/** Bytes at the end of a log in which its last line is looked for. */
const TAIL = 64 << 10

/**
 * The newer day of a log's first and last line. They differ where logs were merged or restored. What stands between is not
 * read: a log may be large.
 */
async function newestDay(path: string): Promise<number | undefined> {
  const days: number[] = []
  for await (const { line } of linesOf(path)) {
    const event = readEvent(line)
    if (!event) continue
    days.push(dayOf(Date.parse(event.timestamp)))
    break
  }
  const tail: string[] = []
  for await (const { line } of linesOf(path, Math.max(0, (await sizeOf(path)) - TAIL))) tail.push(line)
  for (const line of tail.reverse()) {
    const event = readEvent(line)
    if (!event) continue
    days.push(dayOf(Date.parse(event.timestamp)))
    break
  }
  return days.length === 0 ? undefined : Math.max(...days)
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/**
 * The files of one writer: the log of the current day (`usage.jsonl`), those of the days before (`usage.2026-11-22.jsonl`)
 * and beside each the sums of its day (`usage.2026-11-22.books.json`). A second process in the same folder has `usage-2`.
 */
export class LedgerFiles {
  /** Days since 1970 that the current log is of; `undefined` while it is empty. */
  #day: number | undefined

  private constructor(
    readonly folder: string,
    readonly stem: string,
    readonly lock: FileLock,
    private log: LogFile,
  ) {}

  /** Takes the first free name, and repairs its log. Throws what the disk says. */
  static async open(folder: string, clock: Clock): Promise<LedgerFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let writer = 1; writer <= MOST_WRITERS; writer++) {
      const files = await LedgerFiles.take(folder, writer === 1 ? 'usage' : `usage-${writer}`, clock)
      if (files) return files
    }
    throw new Error(`${MOST_WRITERS} processes write usage into this folder already`)
  }

  /** Takes the files of one name, and repairs their log; `undefined` where their writer may be alive. */
  static async take(folder: string, stem: string, clock: Clock): Promise<LedgerFiles | undefined> {
    const lock = await FileLock.take(join(folder, `${stem}.lock`), clock)
    if (!lock) return undefined
    try {
      const files = new LedgerFiles(folder, stem, lock, await LogFile.open(join(folder, `${stem}.jsonl`)))
      await files.#readDay()
      return files
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** The names under which processes have written into a folder. */
  static async stems(folder: string): Promise<Set<string>> {
    const names = await readdir(folder)
    return new Set(names.flatMap(name => LOG_NAME.exec(name)?.[1] ?? []))
  }

  get day(): number | undefined {
    return this.#day
  }

  get size(): number {
    return this.log.size
  }

  async #readDay(): Promise<void> {
    this.#day = await newestDay(this.log.path)
  }

  /** Adds the sums of all days; gives back the logs, or parts of them, that have to be read for the rest. */
  async restore(aggregates: Aggregates): Promise<Rest[]> {
    const rests: Rest[] = []
    const days = [...(await this.#past()).map(day => ({ day, path: this.#dated(day) }))]
    if (this.#day !== undefined) days.push({ day: this.#day, path: this.log.path })
    for (const { day, path } of days) {
      const size = await sizeOf(path)
      const from = await loadBooks(this.#books(day), aggregates, size)
      if (from < size) rests.push({ path, day, from, size })
    }
    return rests
  }

  /** Reads the rest of a log, whose sums are complete then. */
  async replay({ path, day, from, size }: Rest, aggregates: Aggregates, isOver: () => boolean): Promise<void> {
    for await (const { line, end } of linesOf(path, from)) {
      if (isOver()) return
      if (end > size) break
      const event = readEvent(line)
      if (event) aggregates.add(event, day)
    }
    if (path !== this.log.path) await saveBooks(this.#books(day), aggregates, day, size)
  }

  /** Lines of one day, in order; a new day begins a new file once the sums of the last one are complete. */
  async append(lines: Uint8Array, day: number, aggregates: Aggregates | undefined): Promise<void> {
    if (aggregates && this.#day !== undefined && day > this.#day) await this.#rotate(aggregates)
    this.#day ??= day
    await this.log.append(lines)
  }

  async #rotate(aggregates: Aggregates): Promise<void> {
    const day = this.#day ?? 0
    if ((await sizeOf(this.#dated(day))) > 0) throw new Error(`${this.#dated(day)} exists already`)
    await this.save(aggregates)
    await this.#whileClosed(log => rename(log, this.#dated(day)))
  }

  /** Writes the sums of the current day. */
  async save(aggregates: Aggregates): Promise<void> {
    if (this.#day !== undefined) await saveBooks(this.#books(this.#day), aggregates, this.#day, this.size)
  }

  /** Deletes the days before the last `days` ones, the one of the current log included. A newer line keeps its file. */
  async forget(today: number, days: number): Promise<void> {
    for (const day of await this.#past()) {
      if (day >= today - days || ((await newestDay(this.#dated(day))) ?? day) >= today - days) continue
      await rm(this.#dated(day), { force: true })
      await rm(this.#books(day), { force: true })
    }
    if (this.#day === undefined || this.#day >= today - days) return
    const books = this.#books(this.#day)
    await this.#whileClosed(async log => {
      await rm(log, { force: true })
      await rm(books, { force: true })
    })
  }

  /** Closes the log while `change` takes it away. It is open again afterwards, also where that failed. */
  async #whileClosed(change: (log: string) => Promise<void>): Promise<void> {
    const { path } = this.log
    await this.log.close()
    try {
      await change(path)
      this.#day = undefined
    } finally {
      this.log = await LogFile.open(path)
    }
  }

  async close(): Promise<void> {
    await this.log.close()
    await this.lock.release()
  }

  /** Closes the files of a writer that is gone. Its log goes, too, once nothing is in it: nobody would delete it later. */
  async leave(): Promise<void> {
    const { path, size } = this.log
    await this.log.close()
    if (size === 0) await rm(path, { force: true })
    await this.lock.release()
  }

  #dated = (day: number): string => join(this.folder, `${this.stem}.${dateOf(day)}.jsonl`)
  #books = (day: number): string => join(this.folder, `${this.stem}.${dateOf(day)}.books.json`)

  /** Days that have a log of their own. */
  async #past(): Promise<number[]> {
    const names = await readdir(this.folder)
    return names.flatMap(name => {
      const date =
        name.startsWith(`${this.stem}.`) && /^\.(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name.slice(this.stem.length))
      const ms = date ? Date.parse(date[1] ?? '') : Number.NaN
      return Number.isNaN(ms) ? [] : [Math.floor(ms / DAY_MS)]
    })
  }
}
