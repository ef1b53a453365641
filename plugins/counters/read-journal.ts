import { linesOf } from 'deflector/files'
import { type JournalRecord, readLine } from './journal-lines.ts'

/** A journal as far as it was read. It only grows, so each look goes on where the last one ended. */
export class ReadJournal {
  readonly #counters = new Map<string, JournalRecord>()
  #replaces: readonly string[] = []
  #at = 0

  constructor(private readonly path: string) {}

  /** Reads what has come. Throws what the disk says. */
  async look(): Promise<void> {
    for await (const { line, end } of linesOf(this.path, this.#at)) {
      this.#add(readLine(line))
      this.#at = end
    }
  }

  get replaces(): readonly string[] {
    return this.#replaces
  }

  count(key: string): number {
    return this.#counters.get(key)?.by ?? 0
  }

  /** One for each counter. */
  get records(): Iterable<JournalRecord> {
    return this.#counters.values()
  }

  #add(read: ReturnType<typeof readLine>): void {
    if (!read) return
    if ('replaces' in read) this.#replaces = read.replaces
    else this.#counters.set(read.key, { ...read, by: Math.max(0, this.count(read.key) + read.by) })
  }
}
