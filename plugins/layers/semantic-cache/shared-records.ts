import type { Clock, HostLog, Store } from 'deflector'
import type { Entries, Entry } from './entries.ts'
import type { Forgiving } from './forgiving.ts'
import { decodeRecord, encodeRecord, storeKey } from './record.ts'

interface Around {
  readonly entries: Entries
  readonly forgiving: Forgiving
  readonly log: HostLog
  readonly clock: Clock
  /** Names the model; vectors of another one mean nothing here. */
  fingerprint(): string
  dimensions(): number
}

/** The entries that replicas share: each a record in the store, and known here by what this gateway has learnt of it. */
export class SharedRecords {
  readonly #store: Store
  readonly #around: Around

  constructor(store: Store, around: Around) {
    this.#store = store
    this.#around = around
  }

  /** What another replica learnt under the same canonical key. */
  async find(place: Pick<Entry, 'partition' | 'canonical'>): Promise<Entry | undefined> {
    const key = this.#keyOf(place)
    const found = await this.#around.forgiving.run('store', () => this.#store.get(key))
    return found?.fresh ? this.learn(key, found.value) : undefined
  }

  /** Takes in what the store holds; `undefined` for what is no record of ours, or lies under another's key. */
  learn(key: string, bytes: Uint8Array): Entry | undefined {
    const { entry } = this.#recordAt(key, bytes) ?? {}
    if (!entry) return undefined
    const { entries, clock } = this.#around
    // Mostly this gateway's own, coming back.
    if (!entries.holds(entry) && entry.freshUntil > clock.now()) entries.set(entry)
    return entry
  }

  /** The stored answer. */
  async valueOf(entry: Entry): Promise<Uint8Array | undefined> {
    const key = this.#keyOf(entry)
    const found = await this.#around.forgiving.run('store', () => this.#store.get(key))
    return found?.fresh ? this.#recordAt(key, found.value)?.value : undefined
  }

  /** Has the store taken it? */
  async write(entry: Entry, value: Uint8Array, ttlSecs: number): Promise<boolean> {
    const done = await this.#around.forgiving.run('store', async () => {
      await this.#store.set(this.#keyOf(entry), encodeRecord(entry, value), { ttlSecs, staleSecs: 0 })
      return true
    })
    return done ?? false
  }

  #keyOf(place: Pick<Entry, 'partition' | 'canonical'>): string {
    return storeKey(this.#around.fingerprint(), place)
  }

  #recordAt(key: string, bytes: Uint8Array): ReturnType<typeof decodeRecord> | undefined {
    try {
      const record = decodeRecord(bytes)
      const { vector } = record.entry
      if (this.#keyOf(record.entry) !== key) throw new Error('the record is of another key')
      if (vector && vector.length !== this.#around.dimensions()) throw new Error('the vector has other dimensions')
      return record
    } catch (error) {
      this.#warn(error)
      return undefined
    }
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const message = 'the store holds a broken semantic entry; it is passed over'
    this.#around.log.degraded('broken entry', message, { error: reason })
  }
}
