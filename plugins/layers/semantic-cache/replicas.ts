import { randomUUID } from 'node:crypto'
import type { Store } from 'deflector'
import type { Entries, Entry } from './entries.ts'
import type { RecentRequests } from './recent-requests.ts'
import { goneKey, pairKey, prefixOf, storeKey, subjectOf } from './record.ts'

/** How long a wrong pair is remembered where replicas share it: an operator found it, and there are few. */
const PAIR_SECS = 365 * 86_400
/** How long a replica that was out of reach can still hear that an answer was wrong. */
const GONE_SECS = 300

export interface Around {
  readonly entries: Entries
  readonly recent: RecentRequests
  fingerprint(): string
  /** Takes in an entry that another replica wrote. */
  learn(key: string, record: Uint8Array): void
  /** Forgets what other layers keep under these requests' ids. */
  forgetBeside(ids: readonly string[]): void
}

/**
 * What replicas tell each other through a store that they share: what they learn, which answers and pairs an operator
 * found to be wrong, and that all was cleared.
 */
export class Replicas {
  readonly #store: Store
  readonly #around: Around
  /** Tells our own words from the others'. */
  readonly #self = Buffer.from(randomUUID())

  constructor(store: Store, around: Around) {
    this.#store = store
    this.#around = around
  }

  follow(signal: AbortSignal): void {
    const { fingerprint } = this.#around
    this.#store.follow?.(prefixOf(fingerprint()), (key, value) => this.#hear(key, value), signal)
  }

  /** Throws what the store does. */
  async part(one: string, other: string): Promise<void> {
    const key = pairKey(this.#around.fingerprint(), one, other)
    await this.#store.set(key, this.#self, { ttlSecs: PAIR_SECS, staleSecs: 0 })
  }

  /** The entry goes; with `wrong`, everything that was made of it does, everywhere. Throws what the store does. */
  async remove(
    place: Pick<Entry, 'partition' | 'canonical'>,
    { wrong }: { readonly wrong: boolean },
  ): Promise<boolean> {
    const fingerprint = this.#around.fingerprint()
    const there = await this.#store.delete(storeKey(fingerprint, place))
    if (wrong) await this.#store.set(goneKey(fingerprint, place), this.#self, { ttlSecs: GONE_SECS, staleSecs: 0 })
    return there
  }

  /** Pairs stay. Throws what the store does. */
  async clear(): Promise<void> {
    await this.#store.clear?.()
    for (const [one, other] of this.#around.entries.pairs()) await this.part(one, other)
  }

  #hear(key: string, value: Uint8Array | undefined): void {
    const { entries, recent, learn, fingerprint } = this.#around
    const subject = subjectOf(key, fingerprint())
    switch (subject?.is) {
      case 'entry':
        if (value) learn(key, value)
        else entries.delete(subject.partition, subject.canonical)
        break
      case 'pair':
        if (!value) break
        entries.part(subject.one, subject.other)
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
    this.#around.recent.drop(ids)
    if (ids.length > 0) this.#around.forgetBeside(ids)
  }
}
