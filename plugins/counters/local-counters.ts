import { join } from 'node:path'
import type { Clock, CounterChange, CountersChanged, Host } from 'deflector'
import { FileLock } from 'deflector/files'
import { Journal } from './journal.ts'
import { type JournalRecord, lockOf } from './journal-lines.ts'

interface Counter {
  count: number
  readonly endsAt: number
}

export interface LocalChange extends CounterChange {
  /** Not worth a write: the count is lost when the gateway ends. */
  readonly volatile?: boolean
}

export interface LocalCountersChanged extends CountersChanged {
  /** Resolves once the changes are on the disk, or cannot be written, which the log says. */
  readonly written: Promise<void>
}

/** So soon is tried again what could not be written. */
const RETRY_MS = 1000

/** A clock that was set forward and back finds the counters of before: so many ended windows of a limit are kept. */
const KEPT_WINDOWS = 4
/** In the journal they are kept for so long, as nothing else forgets those of a limit that is gone. */
const KEPT_MS = 400 * 86_400_000

const WRITTEN = Promise.resolve()

/** Counters of this gateway, in memory and, where there is a folder, in a journal there. */
export class LocalCounters {
  readonly #counters = new Map<string, Counter>()
  readonly #clock: Clock
  readonly #log: Host['log']
  readonly #journal: Journal | undefined
  readonly #folder: string | undefined
  #opening: Promise<void> | undefined
  /** Of what could not be written; stops waiting for the next try. */
  #owed: (() => void) | undefined

  constructor({ clock, log }: Pick<Host, 'clock' | 'log'>, folder: string | undefined) {
    this.#clock = clock
    this.#log = log
    this.#folder = folder
    this.#journal = folder === undefined ? undefined : new Journal(folder, clock, () => this.#records())
  }

  /** Reads what was counted before, once. Throws where the folder cannot be used. */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    if (!this.#journal) return
    try {
      const { records, begin } = await this.#journal.read()
      for (const { key, by, endsAt } of records) {
        const counter = this.#at(key, endsAt)
        counter.count = Math.max(0, counter.count + by)
      }
      await begin()
      await this.#warnOfOthers(this.#journal)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`the folder of the counters, ${this.#folder}, cannot be used: ${why}`)
    }
  }

  /** Other parts of the data directory are no better shared, so the operator is told what to do. */
  async #warnOfOthers({ others }: Journal): Promise<void> {
    for (const owner of others.owners) {
      const { pid, host } = (await FileLock.ownerOf(join(this.#folder ?? '', lockOf(owner)))) ?? {}
      const message =
        'another gateway counts in the same folder; give each a data directory of its own, or one Redis to all of them'
      this.#log.warn(message, { folder: this.#folder, pid, host })
    }
  }

  /** Changes at once; see `Counters.change`. */
  change(changes: readonly LocalChange[]): LocalCountersChanged {
    const found = changes.map(({ key, endsAt }) => this.#at(key, endsAt))
    const counts = (): number[] => changes.map(({ key }) => this.count(key))
    const before = counts()
    const made = changes.every(({ by, limit }, i) => limit === undefined || (before[i] ?? 0) + by <= limit)
    if (!made) return { made, counts: before, written: WRITTEN }
    const records: JournalRecord[] = []
    for (const [i, counter] of found.entries()) {
      const change = changes[i]
      if (!change) continue
      const before = counter.count
      counter.count = Math.max(0, before + change.by)
      const by = counter.count - before
      if (by !== 0 && !change.volatile) records.push({ key: change.key, by, endsAt: change.endsAt })
    }
    return { made, counts: counts(), written: this.#write(records) }
  }

  /**
   * The same for all gateways on the folder. Each writes first and then reads what the others wrote: of two that would
   * pass a limit together at least one sees it, and takes back what it wrote. Resolves once it is on the disk.
   */
  async changeTogether(changes: readonly LocalChange[]): Promise<CountersChanged> {
    const others = this.#journal?.others
    let changed = this.change(changes)
    if (!changed.made && others && others.owners.size > 0) {
      await others.look() // they may have given back
      changed = this.change(changes)
    }
    await changed.written
    if (!others || !changed.made || changes.every(({ limit }) => limit === undefined)) return changed
    await others.look()
    if (others.owners.size === 0) return changed
    const counts = changes.map(({ key }) => this.count(key))
    if (changes.every(({ limit }, i) => limit === undefined || (counts[i] ?? 0) <= limit)) return { made: true, counts }
    await this.change(changes.map(takenBack)).written
    return { made: false, counts: changes.map(({ key }) => this.count(key)) }
  }

  /** Reads what other gateways on the folder have counted. */
  async refresh(): Promise<void> {
    await this.#journal?.others.look()
  }

  /** The number of a counter, with what others on the folder have counted as far as it was read. */
  count(key: string): number {
    return (this.#counters.get(key)?.count ?? 0) + (this.#journal?.others.count(key) ?? 0)
  }

  /** How many counters are held. */
  get size(): number {
    return this.#counters.size
  }

  /** Writes what could not be written before, if that is possible now. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => {})
    if (this.#owed) await this.#append([])
    this.#owed?.()
    await this.#journal?.close()
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    if (records.length > 0) await this.#append(records)
  }

  /** With nothing: what is owed. */
  async #append(records: readonly JournalRecord[]): Promise<void> {
    if (!this.#journal) return
    try {
      await this.#journal.append(records)
      this.#owed?.()
      this.#owed = undefined
      this.#log.recovered('journal', 'counters are written again, with all that was counted meanwhile')
    } catch (error) {
      this.#tryLater()
      const why = error instanceof Error && 'code' in error ? error.code : String(error)
      const message =
        'counters cannot be written; they count in memory, and are lost if the gateway ends before the disk works again'
      this.#log.degraded('journal', message, { folder: this.#folder, error: why })
    }
  }

  #tryLater(): void {
    this.#owed?.()
    this.#owed = this.#clock.after(RETRY_MS, () => void this.#append([]))
  }

  #at(key: string, endsAt: number): Counter {
    const known = this.#counters.get(key)
    if (known) return known
    this.#forgetEnded(limitOf(key))
    const counter = { count: 0, endsAt }
    this.#counters.set(key, counter)
    return counter
  }

  /** A counter is new once a period, so there is little to look through, and rarely. */
  #forgetEnded(limit: string): void {
    const now = this.#clock.now()
    const ended = [...this.#counters].filter(([key, { endsAt }]) => endsAt <= now && limitOf(key) === limit)
    if (ended.length <= KEPT_WINDOWS) return
    const latest = ended.toSorted(([, a], [, b]) => b.endsAt - a.endsAt)
    for (const [key] of latest.slice(KEPT_WINDOWS)) this.#counters.delete(key)
  }

  *#records(): Generator<JournalRecord> {
    const now = this.#clock.now()
    for (const [key, { count, endsAt }] of this.#counters)
      if (count > 0 && endsAt + KEPT_MS > now) yield { key, by: count, endsAt }
  }
}

/** Counters of one limit differ in what stands behind the last bar: when their window began. */
const limitOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('|')))

/** The change that undoes it. */
export const takenBack = ({ limit: _, ...change }: LocalChange): LocalChange => ({ ...change, by: -change.by })
