import {
  type AnswerFacts,
  type ChatFormat,
  defineLayer,
  type Exchange,
  GatewayError,
  type LayerHost,
  type Store,
  type StoreEntry,
  wholeAnswer,
  withFacts,
} from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { type HealthStatus, health } from 'deflector/facets/health'
import { traceName } from 'deflector/facets/trace-name'
import { cacheControl } from 'deflector/formats/cache-control'
import { promptHash, readyKey } from 'deflector/formats/cache-key'
import { storable } from 'deflector/formats/storable'
import { decodeEntry, encodeEntry, type Found, readEntry } from 'deflector/formats/stored-answer'
import { z } from 'zod'
import { RecentRequests } from './recent-requests.ts'

/** How long a failed write makes the layer degraded. */
const DEGRADED_MS = 60_000
/** The one surface whose entries an older layout kept under the bare prompt. */
const LEGACY_NAMESPACE = 'native'

/** Gives the same request the same answer: by a hash of all that shapes it, never by likeness. */
export default defineLayer({
  name: 'exact-cache',
  label: 'l1a',
  deflects: true,
  spans: { answer: 'l1a_exact_cache_get', recover: 'l1a_exact_cache_get', settle: 'l1a_exact_cache_put' },
  asks: { store: 'store' },
  summary: 'answers what was asked before, word for word',
  options: z.strictObject({
    store: z.string().describe('Name of the store that holds the answers.'),
    mode: z
      .enum(['exact', 'semantic', 'both'])
      .default('both')
      .describe('Which caches are on; with `semantic` this layer passes everything.'),
    ttl_secs: z.number().int().positive().default(300).describe('Seconds an answer is served.'),
    max_ttl_secs: z
      .number()
      .int()
      .positive()
      .default(86_400)
      .describe('The most seconds that a request may ask for with `x-service-cache-ttl`.'),
    stale_secs: z
      .number()
      .int()
      .nonnegative()
      .default(86_400)
      .describe('Seconds after that in which it still serves when the cloud fails.'),
  }),
  apply(host, { store, mode, ttl_secs, max_ttl_secs, stale_secs }) {
    const { name, hooks, clock } = host
    host.offer(traceName, 'L1a_ExactCache')
    if (mode === 'semantic') return host.offer(health, () => 'disabled')
    const kept = host.store(store)
    const answers = new Answers(kept, host)
    const trace = ({ attributes }: Exchange, key: string): Exchange['attributes'] =>
      attributes?.set('cache.backend', kept.backend ?? store).set('cache.key', key)
    host.offer(health, () => answers.health())
    const recent = host.keep(`exact-cache:${name}`, () => new RecentRequests())
    host.offer(cacheControls, {
      async stats() {
        const entries = await answers.size()
        return { ...recent.counts, ...(entries !== undefined && { entries }) }
      },
      clear: () => answers.clear(),
      async forget(id) {
        const key = recent.keyOf(id)
        return key !== undefined && answers.delete(key)
      },
      origin: id => recent.origin(id),
    })
    const seconds = (): number => Math.floor(clock.now() / 1000)
    const secondsLeft = ({ freshUntil = Number.POSITIVE_INFINITY }: AnswerFacts): number =>
      Math.floor((freshUntil - clock.now()) / 1000)
    const wishes = ({ headers }: Exchange) => cacheControl(headers, max_ttl_secs)

    hooks.answer.tapPromise(name, async exchange => {
      if (!wishes(exchange).read) {
        exchange.note('not_wanted')
        return undefined
      }
      const key = await readyKey(exchange)
      recent.asked(exchange.id, key)
      const entry = await answers.get(key)
      const found = entry?.fresh ? await answers.read(key, entry, exchange) : undefined
      trace(exchange, key)?.set('cache.hit', found !== undefined && fits(found, exchange))
      if (found && !fits(found, exchange)) {
        recent.count('misses')
        exchange.note('not_replayable')
        return undefined
      }
      recent.count(found ? 'hits' : 'misses')
      exchange.note(found ? 'hit' : entry && !entry.fresh ? 'stale' : 'miss')
      return found?.answer
    })

    hooks.settle.tapPromise(name, async (exchange, answer) => {
      const { facts } = answer
      if (answer.kind !== 'whole' || facts.joined || facts.staleSecs !== undefined) return
      const { write, ttlSecs: wished = ttl_secs } = wishes(exchange)
      const ttlSecs = Math.min(wished, secondsLeft(facts))
      if (!write || ttlSecs <= 0) return exchange.note('not_wanted')
      const { format } = exchange.prompt
      const isExact = answer.wire?.format === format.name || !answer.completion.unmodelled
      if (!isExact || !storable(answer.completion)) return exchange.note('not_storable')
      const entry = encodeEntry(answer, format, seconds())
      const key = await readyKey(exchange)
      trace(exchange, key)?.set('response_len', entry.length)
      const stored = await answers.set(key, entry, { ttlSecs, staleSecs: stale_secs })
      if (stored) recent.stored(exchange.id, key)
      exchange.note(stored ? 'stored' : 'store_failed')
    })

    hooks.recover.tapPromise(name, async exchange => {
      if (!(await exchange.read())) return undefined
      // Who asked for a new answer would rather hear of the failure than get an old one.
      if (!wishes(exchange).read) {
        exchange.note('not_wanted')
        return undefined
      }
      const key = await readyKey(exchange)
      const entry = await answers.get(key)
      const found = (entry && (await answers.read(key, entry, exchange))) ?? (await answers.legacy(exchange))
      trace(exchange, key)?.set('cache.hit', found !== undefined && fits(found, exchange))
      if (found && !fits(found, exchange)) {
        exchange.note('not_replayable')
        return undefined
      }
      exchange.note(found ? 'stale' : 'miss')
      return found && withFacts(found.answer, { staleSecs: Math.max(0, seconds() - (found.at ?? seconds())) })
    })
  },
})

/** A stream is written from the canonical answer, so one that does not say all the vendor said is served only as it stands. */
const fits = ({ answer }: Found, { prompt }: Exchange): boolean => !prompt.stream || !answer.completion.unmodelled

/** The store, as forgiving as a cache has to be: whatever goes wrong in it is a miss. */
class Answers {
  readonly #store: Store
  readonly #host: Pick<LayerHost, 'log' | 'clock'>
  /** The last read failed. */
  #unread = false
  /** When a write failed that none has followed. A full store still reads, so this is counted apart. */
  #unwrittenAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, host: Pick<LayerHost, 'log' | 'clock'>) {
    this.#store = store
    this.#host = host
  }

  health(): HealthStatus {
    // Writes are rare where most is a hit: one that failed long ago says nothing of now.
    const unwritten = this.#host.clock.now() - this.#unwrittenAt < DEGRADED_MS
    return this.#unread || unwritten ? 'degraded' : 'active'
  }

  async get(key: string): Promise<StoreEntry | undefined> {
    try {
      const entry = await this.#store.get(key)
      this.#unread = false
      return entry
    } catch (error) {
      this.#unread = true
      this.#warn(error)
      return undefined
    }
  }

  async set(key: string, value: Uint8Array, life: Parameters<Store['set']>[2]): Promise<boolean> {
    try {
      await this.#store.set(key, value, life)
      this.#unwrittenAt = Number.NEGATIVE_INFINITY
      return true
    } catch (error) {
      this.#unwrittenAt = this.#host.clock.now()
      this.#warn(error)
      return false
    }
  }

  /** Throws `upstream_failed` when the store does: here the operator waits for what comes of it. */
  async delete(key: string): Promise<boolean> {
    return this.#store.delete(key).catch(broken)
  }

  async clear(): Promise<void> {
    if (!this.#store.clear) throw new GatewayError('forbidden', 'the store does not know its own entries from others')
    await this.#store.clear().catch(broken)
  }

  async size(): Promise<number | undefined> {
    try {
      return await this.#store.size?.()
    } catch (error) {
      this.#warn(error)
      return undefined
    }
  }

  /** A broken entry is deleted: it would be a miss with every request. */
  async read(key: string, { value }: StoreEntry, { prompt, id }: Exchange): Promise<Found | undefined> {
    try {
      return await readEntry(value, prompt)
    } catch {
      this.#host.log.warn('a broken cache entry is deleted', { request: id })
      await this.#store.delete(key).catch((error: unknown) => this.#warn(error))
      return undefined
    }
  }

  /**
   * An entry under the hash of the bare prompt: one of ours, or a bare reply in this client's own shape. It belongs to
   * nobody in particular, so those who share with nobody do not get it.
   */
  async legacy({ namespace, tenant, session, prompt: { body, format } }: Exchange): Promise<Found | undefined> {
    if (namespace !== LEGACY_NAMESPACE || typeof body.prompt !== 'string') return undefined
    if (tenant !== undefined || session !== undefined) return undefined
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

const broken = (cause: unknown): never => {
  throw new GatewayError('upstream_failed', 'the store fails; nothing is certain of what it keeps', { cause })
}

/** Replies of the older layout had no id; the one that is delivered gets its own. */
function bareReply(value: Uint8Array, format: ChatFormat): Found | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  try {
    const reply = z.looseObject({}).parse(JSON.parse(bytes.toString('utf8')))
    const completion = format.decodeAnswer({ id: '', ...reply })
    return { answer: wholeAnswer({ wire: { format: format.name, bytes }, completion }) }
  } catch {
    return undefined // of another shape: not ours to serve, and not ours to delete
  }
}
