import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from 'deflector'
import { isRunning, LogFile } from 'deflector/files'

/** A counter was changed by so much, and may be forgotten after `endsAt` (milliseconds since 1970). */
export interface JournalRecord {
  readonly key: string
  readonly by: number
  readonly endsAt: number
}

/** What was counted before. */
export interface JournalContent {
  readonly own: readonly JournalRecord[]
  /** By gateways that still run on the same folder. They are counted once more when these have ended. */
  readonly others: readonly JournalRecord[]
}

/** Bytes after which the journal is written anew, as one line for each counter. */
const MOST_BYTES = 1 << 20

const NAME = /^counters-(\d+)-[a-z0-9]+\.jsonl$/

/** Files of this process, which is alive whatever its id says. */
const openHere = new Set<string>()

/**
 * Changes of counters, appended to a file, so that what was counted before a crash counts after it. Each gateway has a
 * file of its own, and takes over those of gateways that have ended. Lines: `["key", by, endsAt]`; the first one says
 * which files this one replaces. Changes that come while a write is on its way share the next one, and one sync.
 */
export class Journal {
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
    private readonly snapshot: () => Iterable<JournalRecord>,
  ) {}

  /** Reads what was counted before; `begin` has to follow, once the counters have it. Throws when the folder is unusable. */
  async read(): Promise<JournalContent & { begin(): Promise<void> }> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.folder)).filter(name => NAME.test(name))
    const files = new Map<string, ParsedJournal>()
    for (const name of names) files.set(name, parse(await readFile(join(this.folder, name), 'utf8')))
    const replaced = new Set([...files.values()].flatMap(({ replaces }) => replaces))
    const current = [...files].filter(([name]) => !replaced.has(name))
    const ended = current.filter(([name]) => !this.#isAlive(name))
    const running = current.filter(([name]) => this.#isAlive(name))
    return {
      own: ended.flatMap(([, { records }]) => records),
      others: running.flatMap(([, { records }]) => records),
      begin: () => this.#begin([...ended.map(([name]) => name), ...replaced]),
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
    openHere.delete(join(this.folder, this.#name))
    await this.#file?.close()
    this.#file = undefined
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
    // The counters have these changes already, and a new file has all counters.
    if (!this.#file || this.#bytes >= MOST_BYTES) return this.#begin(this.#name === '' ? [] : [this.#name])
    const bytes = Buffer.from(lines)
    await this.#file.append(bytes)
    await this.#file.sync()
    this.#bytes += bytes.length
  }

  /** Begins a new file in place of others. Before it is whole and on the disk it has another name. */
  async #begin(replaces: readonly string[]): Promise<void> {
    const name = `counters-${process.pid}-${randomBytes(8).toString('hex')}.jsonl`
    const text = `${JSON.stringify({ replaces })}\n${[...this.snapshot()].map(lineOf).join('')}`
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
    openHere.delete(join(this.folder, this.#name))
    openHere.add(path)
    await this.#file?.close()
    this.#file = file
    this.#name = name
    this.#bytes = 0
    for (const old of replaces) await rm(join(this.folder, old), { force: true })
  }

  #isAlive(name: string): boolean {
    const pid = Number(NAME.exec(name)?.[1])
    return pid === process.pid ? openHere.has(join(this.folder, name)) : isRunning(pid)
  }
}

const lineOf = ({ key, by, endsAt }: JournalRecord): string => `${JSON.stringify([key, by, endsAt])}\n`

interface ParsedJournal {
  readonly replaces: readonly string[]
  readonly records: readonly JournalRecord[]
}

/** A line that was cut when its gateway ended is left out: nothing waited for it any more. */
function parse(text: string): ParsedJournal {
  const replaces: string[] = []
  const records: JournalRecord[] = []
  for (const line of text.split('\n')) {
    const given = parsed(line)
    if (Array.isArray(given)) {
      const [key, by, endsAt]: unknown[] = given
      if (typeof key === 'string' && Number.isSafeInteger(by) && typeof endsAt === 'number')
        records.push({ key, by: Number(by), endsAt })
    } else if (isObject(given) && Array.isArray(given.replaces))
      replaces.push(...given.replaces.filter(name => typeof name === 'string' && NAME.test(name)))
  }
  return { replaces, records }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A new name in a folder is on the disk only with the folder. Some systems cannot sync one. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
