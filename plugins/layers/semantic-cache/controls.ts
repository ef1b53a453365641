import { GatewayError, type Store } from 'deflector'
import type { CacheControls } from 'deflector/facets/cache-controls'
import type { Entries } from './entries.ts'
import type { KnownMatches } from './known-matches.ts'
import type { Place, RecentRequests } from './recent-requests.ts'
import type { Replicas } from './replicas.ts'

export interface Contents {
  readonly entries: Entries
  readonly aliases: KnownMatches
  readonly recent: RecentRequests
  /** Where the answers are, when they are not here. */
  readonly store: Store | undefined
  readonly replicas: Replicas | undefined
}

/** What an operator can see of the cache, and take out of it. */
export class SemanticControls implements CacheControls {
  readonly #contents: Contents

  constructor(contents: Contents) {
    this.#contents = contents
  }

  stats(): Record<string, number> {
    const { entries, recent } = this.#contents
    return { ...recent.counts, ...recent.reasons, entries: entries.size, bytes: Math.round(entries.bytes) }
  }

  /** What was found to be wrong stays known. */
  async clear(): Promise<void> {
    const { entries, aliases, recent, store, replicas } = this.#contents
    if (store && !store.clear)
      throw new GatewayError('forbidden', 'the store does not know its own entries from others')
    // First: what is learnt from now on is not of what is cleared.
    recent.drop(recent.idsAt())
    entries.clear()
    aliases.clear()
    await replicas?.clear().catch(broken)
  }

  /** Removes what a request was served or stored. Where it was served another prompt's answer, the two stay apart. */
  async forget(id: string): Promise<boolean> {
    const { entries, recent, replicas } = this.#contents
    const one = this.#placeOf(id)
    if (!one) return false
    const { partition, canonical, asked, reworded } = one
    const wrong = asked === canonical
    recent.drop(wrong ? recent.idsAt(partition, canonical) : recent.idsBetween(asked, canonical))
    const there = entries.delete(partition, canonical)
    if (!wrong || reworded) {
      entries.part(asked, canonical)
      await replicas?.part(asked, canonical).catch(broken)
    }
    const shared = await replicas?.remove(one, { wrong }).catch(broken)
    return there || shared === true || !wrong
  }

  copies(id: string): readonly string[] {
    return this.#contents.recent.copies(id, this.#placeOf(id))
  }

  #placeOf(id: string): Place | undefined {
    const { entries, recent } = this.#contents
    const known = recent.placeOf(id)
    if (known) return known
    // What another replica stored, or this one before a restart, is known by its entry alone.
    const entry = entries.of(id)
    return entry && { partition: entry.partition, canonical: entry.canonical, asked: entry.canonical }
  }
}

const broken = (cause: unknown): never => {
  throw new GatewayError('upstream_failed', 'the store fails; nothing is certain of what it keeps', { cause })
}
