import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, type HostLog, timeSlice } from 'deflector'
import { LineBuffer } from 'deflector/files'
import { lineOf, type PendingEntry } from './entry.ts'
import { LockedError, type RotatingFile } from './rotating-file.ts'

/** From the first entry to the write of its line: those of one moment are written together, and streams end meanwhile. */
const GATHER_MS = 50
/** Entries that may wait to become lines, and bytes of lines that may wait for the disk. */
const MOST_PENDING = 512
const MOST_BYTES = 8 << 20
/** About one write. */
const BATCH_BYTES = 256 << 10
/** How long the disk is left alone after an error, in milliseconds. */
const PAUSE_MS = 1_000
/** How long the last lines may take at the end, in milliseconds. */
const LAST_LINES_MS = 2_000

/**
 * Writes entries behind the requests: what a slow or full disk cannot take is dropped, and counted. A line is written
 * about 50 ms after its request. From then on it survives `kill -9`, but not every end of the machine.
 */
export class LogWriter {
  readonly #file: RotatingFile
  readonly #log: HostLog
  readonly #clock: Clock
  /** They keep their requests in memory, so they become lines soon. */
  readonly #pending: PendingEntry[] = []
  #reads: Promise<void> = Promise.resolve()
  #isReadDue = false
  readonly #batches: LineBuffer[] = []
  #gathering: (() => void) | undefined
  #writes: Promise<void> = Promise.resolve()
  #writing: LineBuffer | undefined
  /** The disk refused. */
  #paused = false
  #closed = false
  /** Entries that are in no file. */
  dropped = 0

  constructor(file: RotatingFile, log: HostLog, clock: Clock) {
    this.#file = file
    this.#log = log
    this.#clock = clock
  }

  add(entry: PendingEntry): void {
    if (this.#closed || this.#pending.length >= MOST_PENDING || this.#waiting >= MOST_BYTES) {
      this.#drop(1, 'the disk is too slow')
      return
    }
    this.#pending.push(entry)
    if (!this.#isReadDue) void this.#read()
    this.#isReadDue = true
    this.#gather()
  }

  /** Resolves when all that was added is written or dropped, or when the disk takes no more for now. */
  async flush(): Promise<void> {
    this.#gathering?.()
    this.#gathering = undefined
    await this.#read(true)
    this.#writes = this.#writes.then(() => this.#write())
    await this.#writes
  }

  async close(): Promise<void> {
    let stop = (): void => {}
    const late = new Promise<void>(resolve => {
      stop = this.#clock.after(LAST_LINES_MS, resolve)
    })
    this.#paused = false // the last try
    await Promise.race([this.flush(), late])
    stop()
    this.#closed = true
    for (const { count } of this.#batches.splice(0)) this.#drop(count, 'the gateway has ended')
    await this.#file.close().catch(() => {})
  }

  get #waiting(): number {
    return this.#batches.reduce((sum, { length }) => sum + length, 0)
  }

  #gather(): void {
    this.#gathering ??= this.#clock.after(GATHER_MS, () => void this.flush())
  }

  /** Entries become lines; by default those whose replies are over. */
  #read(all = false): Promise<void> {
    this.#reads = this.#reads.then(() => this.#readInTurns(all))
    return this.#reads
  }

  /** A few at a time, so that requests pass between them. */
  async #readInTurns(all: boolean): Promise<void> {
    this.#isReadDue = false
    const due = this.#pending.length
    // Who books a request fills in its costs a turn after its end, and in a busy moment a turn later.
    await nextTurn()
    await nextTurn()
    const yieldIfDue = timeSlice()
    // What came meanwhile has its own two turns.
    for (const entry of this.#pending.splice(0, due)) {
      if (all || entry.reply()?.ended) this.#append(entry)
      else this.#pending.push(entry)
      const wait = yieldIfDue()
      if (wait) await wait
    }
  }

  #append(entry: PendingEntry): void {
    try {
      this.#lastBatch().add(lineOf(entry))
    } catch {
      this.#drop(1, 'it cannot be written as JSON')
    }
  }

  #lastBatch(): LineBuffer {
    const last = this.#batches.at(-1)
    if (last && last.length < BATCH_BYTES && last !== this.#writing) return last
    const batch = new LineBuffer()
    this.#batches.push(batch)
    return batch
  }

  async #write(): Promise<void> {
    // What is added meanwhile comes next time: under load it would never end.
    for (const batch of this.#batches.slice()) {
      if (this.#closed || this.#paused) return
      this.#writing = batch
      try {
        await this.#file.append(batch.bytes)
        this.#log.recovered('request-log', 'the request log is written again')
      } catch (error) {
        this.#pause()
        const isLocked = error instanceof LockedError
        this.#drop(batch.count, isLocked ? error.message : `the disk refuses it (${codeOf(error)})`)
      }
      this.#writing = undefined
      this.#batches.shift()
    }
  }

  #pause(): void {
    this.#paused = true
    this.#clock.after(PAUSE_MS, () => {
      this.#paused = false
      this.#gather()
    })
  }

  #drop(count: number, why: string): void {
    this.dropped += count
    const message = 'requests are missing from the request log; they were served all the same'
    this.#log.degraded('request-log', message, { why, dropped: this.dropped })
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
