import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, type HostLog, timeSlice } from 'deflector'
import { lineOf, type PendingEntry } from './entry.ts'
import { LockedError, type RotatingFile } from './rotating-file.ts'

/** From the first entry to the write of its line; those of one moment are written together, and streams end meanwhile. */
const GATHER_MS = 50
/** So many entries wait no longer. */
const GATHERED = 256
/** Entries that may wait to become lines, and bytes of lines that may wait for the disk. */
const MOST_PENDING = 512
const MOST_BYTES = 8 << 20
/** One write. */
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
  readonly #pending: PendingEntry[] = []
  readonly #lines: Buffer[] = []
  #bytes = 0
  #gathering: (() => void) | undefined
  #reading: Promise<void> | undefined
  #writing: Promise<void> | undefined
  #closed = false
  /** Entries that are in no file. */
  dropped = 0

  constructor(file: RotatingFile, log: HostLog, clock: Clock) {
    this.#file = file
    this.#log = log
    this.#clock = clock
  }

  add(entry: PendingEntry): void {
    if (this.#closed || this.#pending.length >= MOST_PENDING || this.#bytes >= MOST_BYTES) {
      this.#drop(1, 'the disk is too slow')
      return
    }
    this.#pending.push(entry)
    if (this.#pending.length >= GATHERED) this.#begin()
    else this.#gather()
  }

  #gather(): void {
    this.#gathering ??= this.#clock.after(GATHER_MS, () => this.#begin())
  }

  #begin(): void {
    this.#gathering?.()
    this.#gathering = undefined
    this.#reading ??= this.#read()
  }

  /** Resolves when all that was added is written or dropped, or when the disk takes no more for now. */
  async flush(): Promise<void> {
    await this.#reading
    if (this.#pending.length > 0) this.#begin()
    await this.#reading
    await this.#writing
  }

  async close(): Promise<void> {
    let stop = (): void => {}
    const late = new Promise<void>(resolve => {
      stop = this.#clock.after(LAST_LINES_MS, resolve)
    })
    await Promise.race([this.flush(), late])
    stop()
    this.#closed = true
    await this.#file.close().catch(() => {})
  }

  /** Entries become lines a few at a time, so that requests pass between them. */
  async #read(): Promise<void> {
    // Who books a request fills in its costs a turn after its end, and in a busy moment a turn later.
    await nextTurn()
    await nextTurn()
    const yieldIfDue = timeSlice()
    for (const entry of this.#pending.splice(0)) {
      const line = this.#lineOf(entry)
      if (line) {
        this.#lines.push(line)
        this.#bytes += line.length
      }
      const wait = yieldIfDue()
      if (wait) await wait
    }
    this.#reading = undefined
    this.#writing ??= this.#write()
    if (this.#pending.length > 0) this.#gather()
  }

  #lineOf(entry: PendingEntry): Buffer | undefined {
    try {
      return lineOf(entry)
    } catch {
      this.#drop(1, 'it cannot be written as JSON')
      return undefined
    }
  }

  async #write(): Promise<void> {
    await undefined // as above
    while (this.#lines.length > 0 && !this.#closed) {
      const batch = this.#batch()
      try {
        await this.#file.append(Buffer.concat(batch))
        this.#log.recovered('request-log', 'the request log is written again')
      } catch (error) {
        this.#drop(
          batch.length,
          error instanceof LockedError ? error.message : `the disk refuses it (${codeOf(error)})`,
        )
        this.#clock.after(PAUSE_MS, () => {
          this.#writing = undefined
          if (this.#lines.length > 0) this.#writing = this.#write()
        })
        return
      } finally {
        for (const line of batch) this.#bytes -= line.length
      }
    }
    this.#writing = undefined
  }

  #batch(): Buffer[] {
    let bytes = 0
    const count = this.#lines.findIndex(line => {
      bytes += line.length
      return bytes > BATCH_BYTES
    })
    return this.#lines.splice(0, count < 0 ? this.#lines.length : Math.max(1, count))
  }

  #drop(count: number, why: string): void {
    this.dropped += count
    const message = 'requests are missing from the request log; they were served all the same'
    this.#log.degraded('request-log', message, { why, dropped: this.dropped })
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
