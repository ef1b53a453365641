import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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
  readonly #folder: string
  readonly #options: RotatingOptions
  #file: FileHandle | undefined
  #size = 0

  constructor(folder: string, options: RotatingOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** Files with lines, newest first; not all of them have to exist. */
  get paths(): readonly string[] {
    return Array.from({ length: this.#options.rotations + 1 }, (_, age) => this.#path(age))
  }

  /** Writes whole lines. After an error nothing of them is in the file, and the next call may work again. */
  async append(lines: Buffer): Promise<void> {
    let file = await this.#open()
    if (this.#size > 0 && this.#size + lines.length > this.#options.maxBytes) {
      await this.#rotate()
      file = await this.#open()
    }
    try {
      for (let at = 0; at < lines.length; ) {
        const { bytesWritten } = await file.write(lines, at)
        at += bytesWritten
      }
      this.#size += lines.length
    } catch (error) {
      // Half a line would spoil the next one.
      await file.truncate(this.#size).catch(() => this.#close())
      throw error
    }
  }

  async close(): Promise<void> {
    if (!this.#file) return
    await this.#close()
    await rm(this.#lock, { force: true })
  }

  get #lock(): string {
    return join(this.#folder, 'requests.lock')
  }

  #path(age: number): string {
    return join(this.#folder, age === 0 ? 'requests.jsonl' : `requests.${age}.jsonl`)
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#takeLock()
    const file = await open(this.#path(0), 'a+', 0o600)
    try {
      this.#size = await repaired(file)
    } catch (error) {
      await file.close()
      throw error
    }
    this.#file = file
    return file
  }

  async #takeLock(): Promise<void> {
    const holder = Number(await readFile(this.#lock, 'utf8').catch(() => ''))
    if (holder > 0 && holder !== process.pid && isAlive(holder))
      throw new LockedError(`process ${holder} writes to ${this.#folder}`)
    // What a killed process left is nobody's.
    await rm(this.#lock, { force: true })
    await writeFile(this.#lock, String(process.pid), { flag: 'wx', mode: 0o600 })
  }

  async #rotate(): Promise<void> {
    await this.#close()
    await rm(this.#path(this.#options.rotations), { force: true })
    for (let age = this.#options.rotations - 1; age >= 0; age--)
      await rename(this.#path(age), this.#path(age + 1)).catch(ignoreMissing)
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}

/** Bytes that are looked at to find the end of the last whole line; a line is shorter. */
const TAIL = 1 << 20

/** Cuts off what is behind the last whole line, and gives the size that is left. */
async function repaired(file: FileHandle): Promise<number> {
  const { size } = await file.stat()
  const from = Math.max(0, size - TAIL)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
  const whole = from + buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1
  if (whole < size) await file.truncate(whole)
  return whole
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
