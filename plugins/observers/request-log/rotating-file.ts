import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from 'deflector'
import { FileLock, LogFile } from 'deflector/files'

export interface RotatingOptions {
  /** The next file begins before this one has more bytes. */
  readonly maxBytes: number
  /** Older files that are kept. */
  readonly rotations: number
}

/** Thrown where another process writes to the folder. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
}

/**
 * Lines in `requests.jsonl`, and before them in `requests.1.jsonl` (the newest) to `requests.<rotations>.jsonl`. One
 * process writes at a time. A line that a crash tore is taken off when the file is opened, so all lines are whole.
 */
export class RotatingFile {
  #lock: FileLock | undefined
  #file: LogFile | undefined

  constructor(
    private readonly folder: string,
    private readonly options: RotatingOptions,
    private readonly clock: Clock,
  ) {}

  /** Files with lines, newest first; not all of them have to exist. */
  get paths(): readonly string[] {
    return Array.from({ length: this.options.rotations + 1 }, (_, age) => this.#path(age))
  }

  /**
   * Writes whole lines, which then survive the end of the process, though not that of the machine. After an error
   * nothing of them is in the file, and the next call may work again.
   */
  async append(lines: Buffer): Promise<void> {
    let file = await this.#open()
    if (file.size > 0 && file.size + lines.length > this.options.maxBytes) {
      await this.#rotate()
      file = await this.#open()
    }
    await file.append(lines)
  }

  async close(): Promise<void> {
    await this.#closeFile()
    await this.#lock?.release()
    this.#lock = undefined
  }

  #path(age: number): string {
    return join(this.folder, age === 0 ? 'requests.jsonl' : `requests.${age}.jsonl`)
  }

  async #open(): Promise<LogFile> {
    if (this.#lock && !(await this.#lock.isOurs())) await this.close()
    if (!this.#lock) {
      await mkdir(this.folder, { recursive: true, mode: 0o700 })
      this.#lock = await FileLock.take(join(this.folder, 'requests.lock'), this.clock)
    }
    if (!this.#lock) throw new LockedError(`another process writes to ${this.folder}`)
    this.#file ??= await LogFile.open(this.#path(0))
    return this.#file
  }

  async #rotate(): Promise<void> {
    await this.#closeFile()
    await rm(this.#path(this.options.rotations), { force: true })
    for (let age = this.options.rotations - 1; age >= 0; age--)
      await rename(this.#path(age), this.#path(age + 1)).catch(ignoreMissing)
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
