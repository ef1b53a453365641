import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

/** What is kept in memory of an app that was built larger than ours. */
const MOST_BYTES = 4 << 20

export interface BuiltFile {
  readonly bytes: Uint8Array
  /** As it goes to a client that takes gzip; absent where that saves nothing. */
  readonly gzipped?: Uint8Array
  /** Hash of `bytes`, as an entity tag. */
  readonly tag: string
}

/** The files of one folder, read when they are first asked for. Another name than one of theirs never reaches the disk. */
export class BuiltFiles {
  readonly #folder: string
  readonly #kept = new Map<string, Promise<BuiltFile>>()
  #names: Promise<ReadonlySet<string>> | undefined
  #bytes = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** A file by its path below the folder. */
  async find(name: string): Promise<BuiltFile | undefined> {
    const names = await this.#listed()
    if (!names.has(name)) return undefined
    const kept = this.#kept.get(name) ?? this.#read(name)
    this.#kept.set(name, kept)
    try {
      return await kept
    } catch {
      // The app was built anew: its files have other names.
      this.#forget()
      return undefined
    }
  }

  async #listed(): Promise<ReadonlySet<string>> {
    this.#names ??= readdir(this.#folder, { recursive: true }).then(
      names => new Set(names.map(name => name.replaceAll('\\', '/'))),
    )
    try {
      return await this.#names
    } catch {
      this.#names = undefined // it may be built while the gateway runs
      return new Set()
    }
  }

  async #read(name: string): Promise<BuiltFile> {
    const bytes = await readFile(join(this.#folder, name))
    const gzipped = await compress(bytes, { level: 9 })
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const file = { bytes, tag, ...(gzipped.length < bytes.length * 0.9 && { gzipped }) }
    this.#bytes += bytes.length + gzipped.length
    if (this.#bytes > MOST_BYTES) this.#forget()
    return file
  }

  #forget(): void {
    this.#kept.clear()
    this.#names = undefined
    this.#bytes = 0
  }
}
