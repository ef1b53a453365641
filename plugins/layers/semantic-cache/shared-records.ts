import type { Clock, HostLog, Store } from 'deflector'
import type { Dependencies } from './dependencies.ts'
import type { Entries, Entry } from './entries.ts'
import { decodeRecord, encodeRecord, storeKey } from './record.ts'

interface SharedRecordsContext {
  readonly entries: Entries
  readonly dependencies: Dependencies
  readonly log: HostLog
  readonly clock: Clock
  /** Identifies the models; keys and vectors of different models cannot be compared. */
  fingerprint(): string
  /** Of the vectors in records; `undefined` where records need none. */
  dimensions(): number | undefined
}

/** The entries that replicas share. Each is a record in the store, with a copy in the memory of this gateway. */
export class SharedRecords {
  readonly #store: Store
  readonly #context: SharedRecordsContext

  constructor(store: Store, context: SharedRecordsContext) {
    this.#store = store
    this.#context = context
  }

  /** The entry that another replica stored under the same canonical key. */
  async find(place: Pick<Entry, 'partition' | 'canonical'>): Promise<Entry | undefined> {
    const key = this.#keyOf(place)
    const found = await this.#context.dependencies.run('store', () => this.#store.get(key))
    return found?.fresh ? this.learn(key, found.value) : undefined
  }

  /** The same, and the entries stay as they are. */
  async peek(place: Pick<Entry, 'partition' | 'canonical'>): Promise<Entry | undefined> {
    const key = this.#keyOf(place)
    const found = await this.#context.dependencies.run('store', () => this.#store.get(key))
    return found?.fresh ? this.#recordAt(key, found.value)?.entry : undefined
  }

  /** Adds a record of the store to the entries; `undefined` when it is not a record, or not the record of this key. */
  learn(key: string, bytes: Uint8Array): Entry | undefined {
    const { entry } = this.#recordAt(key, bytes) ?? {}
    if (!entry) return undefined
    const { entries, clock, fingerprint } = this.#context
    // Mostly this gateway stored the record itself.
    if (!entries.holds(entry) && entry.freshUntil > clock.now()) entries.set(entry, fingerprint())
    return entry
  }

  /** The stored answer. */
  async valueOf(entry: Entry): Promise<Uint8Array | undefined> {
    const key = this.#keyOf(entry)
    const found = await this.#context.dependencies.run('store', () => this.#store.get(key))
    return found?.fresh ? this.#recordAt(key, found.value)?.value : undefined
  }

  /** Writes an entry and its answer; false when the store failed. */
  async write(entry: Entry, value: Uint8Array, ttlSecs: number): Promise<boolean> {
    const done = await this.#context.dependencies.run('store', async () => {
      await this.#store.set(this.#keyOf(entry), encodeRecord(entry, value), { ttlSecs, staleSecs: 0 })
      return true
    })
    return done ?? false
  }

  #keyOf(place: Pick<Entry, 'partition' | 'canonical'>): string {
    return storeKey(this.#context.fingerprint(), place)
  }

  #recordAt(key: string, bytes: Uint8Array): ReturnType<typeof decodeRecord> | undefined {
    try {
      const record = decodeRecord(bytes)
      const { vector, ...bare } = record.entry
      if (this.#keyOf(bare) !== key) throw new Error('the record is of another key')
      const dimensions = this.#context.dimensions()
      if (dimensions === undefined) return { ...record, entry: bare }
      if (vector && vector.length !== dimensions) throw new Error('the vector has other dimensions')
      return vector ? record : { ...record, entry: { ...bare, comparable: false } }
    } catch (error) {
      this.#warn(error)
      return undefined
    }
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const message = 'the store holds a broken semantic entry; it is ignored'
    this.#context.log.degraded('broken entry', message, { error: reason })
  }
}
