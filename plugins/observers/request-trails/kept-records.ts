import { isWanted, type RequestEntry, type RequestHistory, type RequestQuery } from 'deflector/facets/request-history'
import { type ExchangeRecord, trailRecords } from 'deflector/formats/exchange-record'

/** Bytes of a record beside its steps, of a step, and of an attempt, roughly: names are cut to 200 characters. */
const RECORD_BYTES = 1_500
const STEP_BYTES = 200
const ATTEMPT_BYTES = 500

interface Kept {
  readonly record: ExchangeRecord
  readonly bytes: number
}

/**
 * The last exchanges, in memory. A list and no map by id: V8 links a map's former tables to the current one, and what they
 * hold would be copied again and again.
 */
export class KeptRecords implements RequestHistory {
  /** In the order in which they ended; those before `#first` are gone. */
  #kept: (Kept | undefined)[] = []
  #first = 0
  #bytes = 0
  #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** New limits count from the next record on. */
  set limits(limits: Limits) {
    this.#limits = limits
  }

  add(record: ExchangeRecord): void {
    const bytes = bytesOf(record)
    this.#kept.push({ record, bytes })
    this.#bytes += bytes
    while (this.#kept.length - this.#first > this.#limits.records || this.#bytes > this.#limits.bytes) this.#drop()
    if (this.#first <= this.#kept.length / 2) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }

  async list(query: RequestQuery): Promise<readonly RequestEntry[]> {
    const wanted: RequestEntry[] = []
    for (const record of this.#newestFirst()) {
      if (wanted.length >= query.limit) break
      const entry = entryOf(record)
      if (isWanted(entry, query)) wanted.push(entry)
    }
    return wanted
  }

  async find(requestId: string): Promise<RequestEntry | undefined> {
    for (const record of this.#newestFirst()) if (record.request_id === requestId) return entryOf(record)
    return undefined
  }

  /** Of several exchanges of one call the last. */
  *#newestFirst(): Generator<ExchangeRecord> {
    const seen = new Set<string>()
    for (let at = this.#kept.length - 1; at >= this.#first; at--) {
      const { record } = this.#kept[at] ?? {}
      if (!record || seen.has(record.request_id)) continue
      seen.add(record.request_id)
      yield record
    }
  }

  #drop(): void {
    this.#bytes -= this.#kept[this.#first]?.bytes ?? 0
    this.#kept[this.#first++] = undefined
  }
}

export interface Limits {
  readonly records: number
  readonly bytes: number
}

const entryOf = (record: ExchangeRecord): RequestEntry => ({ ...record, trail: trailRecords(record) })

const FIELD_BYTES = 50

const bytesOf = ({ tags, trail, attempts }: ExchangeRecord): number =>
  RECORD_BYTES +
  FIELD_BYTES * tags.length +
  trail.reduce((sum, { outcome }) => sum + STEP_BYTES + outcome.length, 0) +
  attempts.reduce((sum, { omitted }) => sum + ATTEMPT_BYTES + FIELD_BYTES * omitted.length, 0)
