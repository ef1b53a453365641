import { GatewayError, type Store } from 'deflector'
import type { CacheControls } from 'deflector/facets/cache-controls'
import type { Context } from './context.ts'
import type { Decisions } from './decisions.ts'
import type { EntryUse } from './recent-requests.ts'
import type { Replicas } from './replicas.ts'

interface Contents extends Context {
  readonly decisions: Decisions
  /** The store that holds the answers, when replicas share them. */
  readonly store: Store | undefined
  readonly replicas: Replicas | undefined
}

/** The operator's view of the cache, and the removal of entries. */
export class SemanticControls implements CacheControls {
  readonly #contents: Contents

  constructor(contents: Contents) {
    this.#contents = contents
  }

  stats(): Record<string, number> {
    const { entries, recent } = this.#contents
    const { size, bytes } = entries
    return { ...recent.counts, ...recent.reasons, entries: size, bytes: Math.round(bytes) }
  }

  /** Separated pairs are kept. */
  async clear(): Promise<void> {
    const { entries, recent, decisions, store, replicas } = this.#contents
    if (store && !store.clear)
      throw new GatewayError('forbidden', 'the store does not know its own entries from others')
    // Memory first, so that entries which arrive from now on are kept.
    recent.drop(recent.idsAt())
    entries.clear()
    decisions.forgetMatches()
    await replicas?.clear().catch(broken)
  }

  /** Removes the entry that a request was served or stored. If it was another prompt's answer, separates the two prompts. */
  async forget(id: string): Promise<boolean> {
    const { entries, recent, replicas } = this.#contents
    const one = this.#useOf(id)
    if (!one) return false
    const { partition, canonical, requested, reworded } = one
    const wrong = requested === canonical
    recent.drop(wrong ? recent.idsAt(partition, canonical) : recent.idsBetween(requested, canonical))
    const there = entries.delete(partition, canonical)
    if (!wrong || reworded) {
      entries.apart.add(requested, canonical)
      await replicas?.separate(requested, canonical).catch(broken)
    }
    const shared = await replicas?.remove(one, { wrong }).catch(broken)
    return there || shared === true || !wrong
  }

  copies(id: string): readonly string[] {
    return this.#contents.recent.copies(id, this.#useOf(id))
  }

  #useOf(id: string): EntryUse | undefined {
    const { entries, recent } = this.#contents
    const known = recent.useOf(id)
    if (known) return known
    // Another replica stored it, or this one before a restart: only the entry knows the request.
    const entry = entries.storedBy(id)
    return entry && { partition: entry.partition, canonical: entry.canonical, requested: entry.canonical }
  }
}

const broken = (cause: unknown): never => {
  throw new GatewayError('upstream_failed', 'the store fails; entries may or may not have been removed', { cause })
}
