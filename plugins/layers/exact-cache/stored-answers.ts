import {
  type ChatFormat,
  type Exchange,
  GatewayError,
  type LayerHost,
  type Store,
  type StoreEntry,
  wholeAnswer,
} from 'deflector'
import type { Why } from 'deflector/facets/cache-why'
import type { HealthStatus } from 'deflector/facets/health'
import { isCacheable } from 'deflector/facets/vendor-state'
import { promptHash } from 'deflector/formats/cache-key'
import { decodeEntry, type Found, readEntry } from 'deflector/formats/stored-answer'
import { z } from 'zod'

/** How long a failed write makes the layer degraded. */
const DEGRADED_MS = 60_000
/** The one surface whose entries an older layout kept under the bare prompt. */
const LEGACY_NAMESPACE = 'native'

/** The store's answers. A failure of the store is a miss. */
export class StoredAnswers {
  readonly #store: Store
  readonly #host: Pick<LayerHost, 'log' | 'clock'>
  /** The last read failed. */
  #readFailed = false
  /** When the last write failed. Counted apart from reads, because a full store can still be read. */
  #writeFailedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, host: Pick<LayerHost, 'log' | 'clock'>) {
    this.#store = store
    this.#host = host
  }

  health(): HealthStatus {
    // Writes are rare where most requests are hits: an old failure does not describe the store of today.
    const writeFailed = this.#host.clock.now() - this.#writeFailedAt < DEGRADED_MS
    return this.#readFailed || writeFailed ? 'degraded' : 'active'
  }

  async get(key: string): Promise<StoreEntry | undefined> {
    try {
      const entry = await this.#store.get(key)
      this.#readFailed = false
      return entry
    } catch (error) {
      this.#readFailed = true
      this.#warn(error)
      return undefined
    }
  }

  async set(key: string, value: Uint8Array, life: Parameters<Store['set']>[2]): Promise<boolean> {
    try {
      await this.#store.set(key, value, life)
      this.#writeFailedAt = Number.NEGATIVE_INFINITY
      return true
    } catch (error) {
      this.#writeFailedAt = this.#host.clock.now()
      this.#warn(error)
      return false
    }
  }

  /** What a lookup would find. */
  async why(exchange: Exchange, key: string): Promise<Why> {
    if (!isCacheable(exchange.prompt))
      return { hit: false, because: 'the request is about state that its provider holds, or has it act' }
    const entry = await this.get(key)
    const facts = { key }
    if (!entry) return { hit: false, because: 'no answer to this very request is stored', facts }
    if (!entry.fresh)
      return { hit: false, because: 'its answer is past its time, and served only when the provider fails', facts }
    const found = await readEntry(entry.value, exchange.prompt).catch(() => undefined)
    if (!found) return { hit: false, because: 'its answer is stored in a form that this surface cannot serve', facts }
    return { hit: true, because: 'the answer to this very request is stored', facts }
  }

  /** Throws `upstream_failed` when the store fails, because an operator waits for the result. */
  async delete(key: string): Promise<boolean> {
    return this.#store.delete(key).catch(storeFailed)
  }

  async clear(): Promise<void> {
    if (!this.#store.clear) throw new GatewayError('forbidden', 'the store does not know its own entries from others')
    await this.#store.clear().catch(storeFailed)
  }

  /** What the store holds, as far as it says. */
  async held(): Promise<{ readonly entries?: number; readonly bytes?: number }> {
    try {
      const [entries, bytes] = await Promise.all([this.#store.size?.(), this.#store.bytes?.()])
      return { ...(entries !== undefined && { entries }), ...(bytes !== undefined && { bytes }) }
    } catch (error) {
      this.#warn(error)
      return {}
    }
  }

  /** Deletes a broken entry, which would be a miss for every request. */
  async read(key: string, { value }: StoreEntry, { prompt, id }: Exchange): Promise<Found | undefined> {
    try {
      return await readEntry(value, prompt)
    } catch {
      this.#host.log.warn('deleted a broken cache entry', { request: id })
      await this.#store.delete(key).catch((error: unknown) => this.#warn(error))
      return undefined
    }
  }

  /**
   * An entry under the hash of the bare prompt: one of ours, or a bare reply in this client's own shape. It has no
   * scope, so requests with a tenant, a session or credentials do not get it.
   */
  async legacy({
    namespace,
    tenant,
    session,
    credentials,
    prompt: { body, format },
  }: Exchange): Promise<Found | undefined> {
    if (namespace !== LEGACY_NAMESPACE || typeof body.prompt !== 'string') return undefined
    if (tenant !== undefined || session !== undefined || credentials.length > 0) return undefined
    const entry = await this.get(promptHash(body.prompt))
    if (!entry) return undefined
    try {
      return decodeEntry(entry.value, format)
    } catch {
      return bareReply(entry.value, format)
    }
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#host.log.degraded('store', 'the store fails; requests go on without it', { error: reason })
  }
}

const storeFailed = (cause: unknown): never => {
  throw new GatewayError('upstream_failed', 'the store fails; entries may or may not have been removed', { cause })
}

/** Replies of the older layout have no id; the served one gets its own. */
function bareReply(value: Uint8Array, format: ChatFormat): Found | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  try {
    const reply = z.looseObject({}).parse(JSON.parse(bytes.toString('utf8')))
    const completion = format.decodeAnswer({ id: '', ...reply })
    return { answer: wholeAnswer({ wire: { format: format.name, bytes }, completion }) }
  } catch {
    return undefined // another program's entry: neither served nor deleted
  }
}
