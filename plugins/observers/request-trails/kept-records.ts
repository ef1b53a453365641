import { isWanted, type RequestEntry, type RequestHistory, type RequestQuery } from 'deflector/facets/request-history'
import { type ExchangeRecord, trailRecords } from 'deflector/formats/exchange-record'

/** Bytes of a record beside its steps, of a step, and of an attempt, roughly: names are cut to 200 characters. */
const RECORD_BYTES = 1_500
const STEP_BYTES = 200
const ATTEMPT_BYTES = 500

/** The last exchanges, in memory. */
export class KeptRecords implements RequestHistory {
  /** In the order in which they ended. */
  readonly #records = new Map<string, ExchangeRecord>()
  #bytes = 0
  #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** New limits count from the next record on. */
  set limits(limits: Limits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#records.size
  }

  add(record: ExchangeRecord): void {
    this.#drop(record.request_id)
    this.#records.set(record.request_id, record)
    this.#bytes += bytesOf(record)
    for (const id of this.#records.keys()) {
      if (this.#records.size <= this.#limits.records && this.#bytes <= this.#limits.bytes) break
      this.#drop(id)
    }
  }

  async list(query: RequestQuery): Promise<readonly RequestEntry[]> {
    const wanted: RequestEntry[] = []
    for (const record of [...this.#records.values()].reverse()) {
      if (wanted.length >= query.limit) break
      const entry = entryOf(record)
      if (isWanted(entry, query)) wanted.push(entry)
    }
    return wanted
  }

  async find(requestId: string): Promise<RequestEntry | undefined> {
    const record = this.#records.get(requestId)
    return record && entryOf(record)
  }

  #drop(id: string): void {
    const record = this.#records.get(id)
    if (!record) return
    this.#records.delete(id)
    this.#bytes -= bytesOf(record)
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
