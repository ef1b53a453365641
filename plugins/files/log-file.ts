import { type FileHandle, open } from 'node:fs/promises'

const NEWLINE = 0x0a
const CHUNK = 64 << 10

/**
 * A file of lines that one process appends to. What `append` has resolved for survives the end of the process, and
 * after `sync` that of the machine.
 */
export class LogFile {
  #torn = false

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private length: number,
  ) {}

  /** Opens or makes the file. A last line that was not written to its end is taken off. */
  static async open(path: string): Promise<LogFile> {
    const handle = await open(path, 'a+', 0o600)
    try {
      const { size } = await handle.stat()
      const whole = await endOfLines(handle, size)
      if (whole < size) await handle.truncate(whole)
      return new LogFile(path, handle, whole)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Bytes of whole lines. */
  get size(): number {
    return this.length
  }

  /** Writes whole lines; if that fails nothing of them stays. Calls must not overlap. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#torn) await this.handle.truncate(this.length)
    this.#torn = true
    try {
      for (let at = 0; at < bytes.length; ) at += (await this.handle.write(bytes, at)).bytesWritten
      this.length += bytes.length
      this.#torn = false
    } catch (error) {
      await this.handle.truncate(this.length).then(
        () => {
          this.#torn = false
        },
        () => {},
      )
      throw error
    }
  }

  /** Brings the lines to the disk itself. */
  async sync(): Promise<void> {
    await this.handle.datasync()
  }

  /** Syncs it as far as the disk allows, then closes it. */
  async close(): Promise<void> {
    await this.sync().catch(() => {})
    await this.handle.close()
  }
}

/** The byte after the last line break. */
async function endOfLines(handle: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK)
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK)
    const { bytesRead } = await handle.read(chunk, 0, end - start, start)
    const at = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE)
    if (at >= 0) return start + at + 1
    end = start
  }
  return 0
}
