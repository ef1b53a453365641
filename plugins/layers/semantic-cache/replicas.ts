import { randomUUID } from 'node:crypto'
import type { Store } from 'deflector'
import type { Context } from './context.ts'
import type { Entry } from './entries.ts'
import { goneKey, pairKey, prefixOf, storeKey, subjectOf } from './record.ts'
import type { SharedRecords } from './shared-records.ts'

/** How long replicas remember a wrong pair: an operator found it, and there are few. */
const PAIR_SECS = 365 * 86_400
/** How long a disconnected replica can still learn that an answer was wrong. */
const GONE_SECS = 300

interface ReplicaContext extends Context {
  readonly shared: SharedRecords
  /** Removes what other layers keep of these requests. */
  forgetInOtherCaches(ids: readonly string[]): void
}

/**
 * Keeps replicas in step through a shared store: new entries, answers and pairs that an operator found to be wrong, and
 * clearing.
 */
export class Replicas {
  readonly #store: Store
  readonly #context: ReplicaContext
  /** Marks values that this replica wrote. */
  readonly #self = Buffer.from(randomUUID())

  constructor(store: Store, context: ReplicaContext) {
    this.#store = store
    this.#context = context
  }

  follow(signal: AbortSignal): void {
    const { fingerprint } = this.#context
    this.#store.follow?.(prefixOf(fingerprint()), (key, value) => this.#onChange(key, value), signal)
  }

  /** Throws what the store does. */
  async separate(one: string, other: string): Promise<void> {
    const key = pairKey(this.#context.fingerprint(), one, other)
    await this.#store.set(key, this.#self, { ttlSecs: PAIR_SECS, staleSecs: 0 })
  }

  /** Removes an entry; with `wrong`, also what every replica made of it. Throws what the store does. */
  async remove(
    place: Pick<Entry, 'partition' | 'canonical'>,
    { wrong }: { readonly wrong: boolean },
  ): Promise<boolean> {
    const fingerprint = this.#context.fingerprint()
    const there = await this.#store.delete(storeKey(fingerprint, place))
    if (wrong) await this.#store.set(goneKey(fingerprint, place), this.#self, { ttlSecs: GONE_SECS, staleSecs: 0 })
    return there
  }

  /** Removes all entries but keeps the separated pairs. Throws what the store does. */
  async clear(): Promise<void> {
    await this.#store.clear?.()
    for (const [one, other] of this.#context.entries.apart.all()) await this.separate(one, other)
  }

  #onChange(key: string, value: Uint8Array | undefined): void {
    const { entries, recent, shared, fingerprint } = this.#context
    const subject = subjectOf(key, fingerprint())
    switch (subject?.is) {
      case 'entry':
        if (value) shared.learn(key, value)
        else entries.delete(subject.partition, subject.canonical)
        break
      case 'pair':
        if (!value) break
        entries.apart.add(subject.one, subject.other)
        this.#forget(recent.idsBetween(subject.one, subject.other))
        break
      case 'gone':
        if (!value || this.#self.equals(value)) break
        entries.delete(subject.partition, subject.canonical)
        this.#forget(recent.idsAt(subject.partition, subject.canonical))
        break
      case 'all':
        entries.clear()
        this.#forget(recent.idsAt())
    }
  }

  #forget(ids: readonly string[]): void {
    this.#context.recent.drop(ids)
    if (ids.length > 0) this.#context.forgetInOtherCaches(ids)
  }
}
