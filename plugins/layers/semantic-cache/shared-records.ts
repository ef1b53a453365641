import type { Store } from 'deflector'
import type { Context } from './context.ts'
import type { Entry } from './entries.ts'
import { decodeRecord, encodeRecord, storeKey } from './record.ts'

/** The entries that replicas share. Each is a record in the store, with a copy in the memory of this gateway. */
export class SharedRecords {
  readonly #store: Store
  readonly #context: Context

  constructor(store: Store, context: Context) {
    this.#store = store
    this.#context = context
  }

  /** The entry that another replica stored under the same canonical key. */
  async find(place: Pick<Entry, 'partition' | 'canonical'>): Promise<Entry | undefined> {
    const entry = await this.peek(place)
    if (entry) this.#add(entry)
    return entry
  }

  /** The same, and the entries stay as they are. */
  async peek(place: Pick<Entry, 'partition' | 'canonical'>): Promise<Entry | undefined> {
    return (await this.#stored(place))?.entry
  }

  /** The stored answer. */
  async valueOf(entry: Entry): Promise<Uint8Array | undefined> {
    return (await this.#stored(entry))?.value
  }

  /** Adds a record of the store to the entries, unless it is not a record, or not the record of this key. */
  learn(key: string, bytes: Uint8Array): void {
    const record = this.#recordAt(key, bytes)
    if (record) this.#add(record.entry)
  }

  /** Writes an entry and its answer; false when the store failed. */
  async write(entry: Entry, value: Uint8Array, ttlSecs: number): Promise<boolean> {
    const done = await this.#context.dependencies.run('store', async () => {
      await this.#store.set(this.#keyOf(entry), encodeRecord(entry, value), { ttlSecs, staleSecs: 0 })
      return true
    })
    return done ?? false
  }

  #add(entry: Entry): void {
    const { entries, host, fingerprint } = this.#context
    // Mostly this gateway stored the record itself.
    if (!entries.holds(entry) && entry.freshUntil > host.clock.now()) entries.set(entry, fingerprint())
  }

  async #stored(place: Pick<Entry, 'partition' | 'canonical'>): Promise<ReturnType<typeof decodeRecord> | undefined> {
    const key = this.#keyOf(place)
    const found = await this.#context.dependencies.run('store', () => this.#store.get(key))
    return found?.fresh ? this.#recordAt(key, found.value) : undefined
  }

  #keyOf(place: Pick<Entry, 'partition' | 'canonical'>): string {
    return storeKey(this.#context.fingerprint(), place)
  }

  #recordAt(key: string, bytes: Uint8Array): ReturnType<typeof decodeRecord> | undefined {
    try {
      const record = decodeRecord(bytes)
      const { vector, ...bare } = record.entry
      if (this.#keyOf(bare) !== key) throw new Error('the record is of another key')
      const { embedder } = this.#context
      if (embedder.portable) return { ...record, entry: bare }
      if (vector && vector.length !== embedder.dimensions) throw new Error('the vector has other dimensions')
      return vector ? record : { ...record, entry: { ...bare, comparable: false } }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = 'the store holds a broken semantic entry; it is ignored'
      this.#context.host.log.degraded('broken entry', message, { error: reason })
      return undefined
    }
  }
}
