import type { Clock, CounterChange, CountersChanged, Host } from 'deflector'
import { Journal, type JournalRecord } from './journal.ts'

interface Counter {
  count: number
  /** Counted by other gateways on the same folder, when this one started. */
  elsewhere: number
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

/** A clock that is set back a little finds the counters of before. */
const GRACE_MS = 3_600_000

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
    this.#journal = folder === undefined ? undefined : new Journal(folder, () => this.#records())
  }

  /** Reads what was counted before, once. Throws where the folder cannot be used. */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    if (!this.#journal) return
    try {
      const { own, others, begin } = await this.#journal.read()
      for (const record of own) this.#recall(record, 'count')
      for (const record of others) this.#recall(record, 'elsewhere')
      await begin()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`the folder of the counters, ${this.#folder}, cannot be used: ${why}`)
    }
  }

  /** Changes at once; see `Counters.change`. */
  change(changes: readonly LocalChange[]): LocalCountersChanged {
    const found = changes.map(({ key, endsAt }) => this.#at(key, endsAt))
    const made = changes.every(({ by, limit }, i) => limit === undefined || sum(found[i]) + by <= limit)
    if (!made) return { made, counts: found.map(sum), written: WRITTEN }
    const records: JournalRecord[] = []
    for (const [i, counter] of found.entries()) {
      const change = changes[i]
      if (!change) continue
      const before = counter.count
      counter.count = Math.max(0, before + change.by)
      const by = counter.count - before
      if (by !== 0 && !change.volatile) records.push({ key: change.key, by, endsAt: change.endsAt })
    }
    return { made, counts: found.map(sum), written: this.#write(records) }
  }

  /** The number of a counter. */
  count(key: string): number {
    return sum(this.#counters.get(key))
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
    this.#forgetEnded()
    const counter = { count: 0, elsewhere: 0, endsAt }
    this.#counters.set(key, counter)
    return counter
  }

  #recall({ key, by, endsAt }: JournalRecord, part: 'count' | 'elsewhere'): void {
    const counter = this.#at(key, endsAt)
    counter[part] = Math.max(0, counter[part] + by)
  }

  /** A counter is new once a period, so there is little to look through, and rarely. */
  #forgetEnded(): void {
    const now = this.#clock.now()
    for (const [key, { endsAt }] of this.#counters) if (endsAt + GRACE_MS < now) this.#counters.delete(key)
  }

  *#records(): Generator<JournalRecord> {
    this.#forgetEnded()
    for (const [key, { count, endsAt }] of this.#counters) if (count > 0) yield { key, by: count, endsAt }
  }
}

const sum = (counter: Counter | undefined): number => (counter ? counter.count + counter.elsewhere : 0)
