import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, type HostLog, timeSlice } from 'deflector'
import { Aggregates, dayOf, together } from './aggregates.ts'
import { Batch } from './batch.ts'
import type { UsageEvent } from './event.ts'
import { LedgerFiles } from './ledger-files.ts'
import { LeftFiles } from './left-files.ts'

/** From the end of a request to the write of its line; those of one moment are written together. */
const BATCH_MS = 100
/** Until a disk that refused is tried again. */
const RETRY_MS = 1000
/** Bytes of lines that wait for the disk. Beyond it the oldest are counted, but not written. */
const MOST_WAITING = 4 << 20
/** The sums are saved after so many bytes of lines, or so much time. */
const SAVE_BYTES = 4 << 20
const SAVE_MS = 60_000
/** Logs up to this size are read before the gateway serves, larger ones beside it. */
const READ_FIRST = 16 << 20

export interface LedgerOptions {
  readonly folder: string
  readonly retentionDays: number
  /** Bytes of lines after which the sums are saved; default 4 MiB. */
  readonly saveBytes?: number
}

/**
 * The ledger: one line for each request, and sums by hour beside it. Sums never run ahead of the lines, so that a crash
 * loses only requests that were not written, and counts none twice. No failure of the disk reaches a request. A line is
 * written 100 ms after its request, later on a busy disk. From then on it survives `kill -9`; an end of the machine may
 * take what the system had not brought to its disk.
 */
export class Ledger {
  /** What is in the files of this writer. */
  #aggregates = new Aggregates()
  readonly #left: LeftFiles
  /** All of it: also what others left, and what waits for a disk that refuses. */
  readonly sums = together(() => [this.#aggregates, this.#left.aggregates, ...this.#waiting.map(({ sums }) => sums)])
  #files: LedgerFiles | undefined
  readonly #queue: (() => UsageEvent)[] = []
  #making: Promise<void> | undefined
  readonly #waiting: Batch[] = []
  /** The one that is being written takes no further line. */
  #writing: Batch | undefined
  #lost = 0
  #timer: (() => void) | undefined
  /** One thing is done to the files at a time. */
  #work: Promise<void> = Promise.resolve()
  #savedSize = 0
  #savedAt: number
  #today = 0
  #closed = false
  /** Until logs whose sums are not known have been read, nothing is saved. */
  #reading = false

  constructor(
    private readonly clock: Clock,
    private readonly log: HostLog,
    private options: LedgerOptions,
  ) {
    this.#savedAt = clock.monotonic()
    this.#left = new LeftFiles(clock, log, () => this.options)
  }

  /** Days from now on. */
  keepFor(retentionDays: number): void {
    this.options = { ...this.options, retentionDays }
  }

  /** Opens the files and reads the sums, once. A disk that refuses is tried again later. */
  start(): Promise<void> {
    return this.#next(async () => {
      if (!this.#files) await this.#open()
    })
  }

  /** Books a request; the event is made in a turn of its own, written and added up a moment later. */
  book(make: () => UsageEvent): void {
    if (this.#closed) return
    this.#queue.push(make)
    this.#making ??= this.#make()
    this.#schedule(BATCH_MS)
  }

  /** Resolves once all that was booked is written, or refused by the disk. */
  settled(): Promise<void> {
    return this.#next(() => this.#write())
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.()
    await this.settled()
    await this.#next(async () => {
      const files = this.#files
      this.#files = undefined
      if (!files) return
      try {
        await this.#save(files)
      } finally {
        await files.close()
      }
    })
    await this.#left.close()
  }

  #next(run: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(run).catch(error => this.#refused(error))
    return this.#work
  }

  #schedule(ms: number): void {
    this.#timer ??= this.clock.after(ms, () => {
      this.#timer = undefined
      void this.settled()
    })
  }

  #refused(error: unknown): void {
    const { code, message } =
      error instanceof Error ? { code: 'code' in error ? error.code : undefined, message: error.message } : {}
    this.log.degraded('disk', 'usage cannot be written; requests go on, and what they cost is written later', {
      folder: this.options.folder,
      error: code ?? message,
    })
    if (!this.#closed) this.#schedule(RETRY_MS)
  }

  /** Takes the files and reads their sums, all of it or nothing: sums that lack a part are never saved. */
  async #open(): Promise<void> {
    const files = await LedgerFiles.open(this.options.folder, this.clock)
    const today = dayOf(this.clock.now())
    const sums = new Aggregates()
    try {
      await files.forget(today, this.options.retentionDays)
      await this.#read(files, sums)
    } catch (error) {
      await files.close()
      throw error
    }
    sums.merge(this.#aggregates) // what was counted and lost before
    this.#aggregates = sums
    this.#files = files
    this.#savedSize = files.size
    if (files.stem !== 'usage')
      this.log.warn('another process writes usage.jsonl; this one has a file of its own', {
        file: `${files.stem}.jsonl`,
      })
    await this.#left.readBeside(files.stem)
    this.#aggregates.compact(today, this.options.retentionDays)
    this.#left.aggregates.compact(today, this.options.retentionDays)
  }

  async #read(files: LedgerFiles, sums: Aggregates): Promise<void> {
    const rests = await files.restore(sums)
    const bytes = rests.reduce((sum, { size, from }) => sum + size - from, 0)
    const read = async (): Promise<void> => {
      for (const rest of rests) await files.replay(rest, sums, () => this.#closed)
    }
    if (bytes <= READ_FIRST) return read()
    this.#reading = true
    const done = (): void => {
      this.#reading = this.#closed
    }
    void read().then(done, error => this.#refused(error))
  }

  async #write(): Promise<void> {
    await this.#making
    await this.#making // of what was booked while others were made
    if (this.#waiting.length === 0) return
    try {
      let files = await this.#ours()
      // What is booked meanwhile is not waited for.
      for (const batch of this.#waiting.slice()) {
        await this.#append(batch, files)
        files = await this.#ours()
      }
      this.log.recovered('disk', 'usage is written again')
      if (
        files.size - this.#savedSize > (this.options.saveBytes ?? SAVE_BYTES) ||
        this.clock.monotonic() - this.#savedAt > SAVE_MS
      )
        await this.#save(files)
    } finally {
      this.#drop()
    }
  }

  /** The files, as long as they are ours alone: a process that was asleep for long may find another in its place. */
  async #ours(): Promise<LedgerFiles> {
    if (this.#files && !(await this.#files.lock.isOurs())) {
      const files = this.#files
      this.#files = undefined
      await files.close()
      this.#left.add(files.stem, this.#aggregates)
      this.#aggregates = new Aggregates()
    }
    if (!this.#files) await this.#open()
    if (!this.#files) throw new Error('there is no ledger')
    return this.#files
  }

  /** Turns what was booked into lines, a little at a time, and soon: until then their requests are kept alive. */
  async #make(): Promise<void> {
    await nextTurn()
    const yieldIfDue = timeSlice()
    // What is booked meanwhile comes next: under load a queue that is emptied to its end never ends.
    for (const make of this.#queue.splice(0)) {
      try {
        const event = make()
        const at = Date.parse(event.timestamp)
        this.#batchOf(dayOf(at)).add(event, at)
      } catch (error) {
        this.log.degraded('event', 'a request could not be booked', {
          error: error instanceof Error ? error.message : undefined,
        })
      }
      const wait = yieldIfDue()
      if (wait) await wait
    }
    this.#making = this.#queue.length > 0 ? this.#make() : undefined
  }

  /** The batch that takes a line of this day. */
  #batchOf(day: number): Batch {
    const last = this.#waiting.at(-1)
    if (last?.day === day && !last.isFull && last !== this.#writing) return last
    const batch = new Batch(day)
    this.#waiting.push(batch)
    return batch
  }

  /** Writes a batch, then adds it up. */
  async #append(batch: Batch, files: LedgerFiles): Promise<void> {
    this.#writing = batch
    try {
      await files.append(batch.bytes, batch.day, this.#reading ? undefined : this.#aggregates)
    } finally {
      this.#writing = undefined
    }
    this.#waiting.shift()
    const day = files.day ?? batch.day
    this.#aggregates.merge(batch.sums, day)
    if (day !== this.#today) await this.#newDay(files, day)
  }

  async #newDay(files: LedgerFiles, day: number): Promise<void> {
    this.#today = day
    this.#savedSize = 0
    this.#aggregates.compact(day, this.options.retentionDays)
    this.#left.aggregates.compact(day, this.options.retentionDays)
    await files.forget(day, this.options.retentionDays)
  }

  async #save(files: LedgerFiles): Promise<void> {
    if (this.#reading || !(await files.lock.isOurs())) return
    this.#savedSize = files.size
    this.#savedAt = this.clock.monotonic()
    await files.save(this.#aggregates)
  }

  /** What no disk takes is counted all the same. */
  #drop(): void {
    let waiting = this.#waiting.reduce((sum, { length }) => sum + length, 0)
    while (waiting > MOST_WAITING) {
      const batch = this.#waiting.shift()
      if (!batch) return
      waiting -= batch.length
      this.#aggregates.merge(batch.sums)
      this.#lost += batch.events
      this.log.degraded('lost', 'usage of requests is counted, but not written', { requests: this.#lost })
    }
  }
}
