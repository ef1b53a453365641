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
import { cacheWhy, type Why } from 'deflector/facets/cache-why'
import { type HealthStatus, health } from 'deflector/facets/health'
import { traceName } from 'deflector/facets/trace-name'
import { isCacheable, isStillHeld, vendorStates } from 'deflector/facets/vendor-state'
import { agentKey, isOfThisRun } from 'deflector/formats/agent-key'
import { cacheControl } from 'deflector/formats/cache-control'
import { promptHash, readyKey } from 'deflector/formats/cache-key'
import { canBeKept, canReplay, decodeEntry, encodeEntry, type Found, readEntry } from 'deflector/formats/stored-answer'
import { z } from 'zod'
import { RecentRequests } from './recent-requests.ts'

/** How long a failed write makes the layer degraded. */
const DEGRADED_MS = 60_000
/** The one surface whose entries an older layout kept under the bare prompt. */
const LEGACY_NAMESPACE = 'native'

/** Answers a repeated request, found by a hash of everything that shapes its answer; never by similarity. */
export default defineLayer({
  name: 'exact-cache',
  label: 'l1a',
  deflects: true,
  spans: { answer: 'l1a_exact_cache_get', recover: 'l1a_exact_cache_get', settle: 'l1a_exact_cache_put' },
  asks: { store: 'store' },
  summary: 'answers requests that were asked before in the same words',
  options: z.strictObject({
    store: z.string().describe('Name of the store that holds the answers.'),
    mode: z
      .enum(['exact', 'semantic', 'both'])
      .default('both')
      .describe('Which caches are on. With `semantic` this layer is off.'),
    ttl_secs: z.number().int().positive().default(300).describe('Seconds for which an answer is fresh.'),
    max_ttl_secs: z
      .number()
      .int()
      .positive()
      .default(86_400)
      .describe('Largest number of seconds that a request may set with `x-service-cache-ttl`.'),
    stale_secs: z
      .number()
      .int()
      .nonnegative()
      .default(86_400)
      .describe('Further seconds in which an answer may still be served when the cloud fails.'),
    normalize_agents: z
      .boolean()
      .default(false)
      .describe('Leaves out of keys what known coding agents write anew with each run: clocks, ids, session headers.'),
  }),
  apply(host, { store, mode, ttl_secs, max_ttl_secs, stale_secs, normalize_agents }) {
    const { name, hooks, clock } = host
    host.offer(traceName, 'L1a_ExactCache')
    if (mode === 'semantic') {
      host.offer(cacheWhy, async () => ({ hit: false, because: 'it is off: cache_mode is "semantic"' }))
      return host.offer(health, () => 'disabled')
    }
    const answerStore = host.store(store)
    const answers = new StoredAnswers(answerStore, host)
    const keyOf: KeyOf = normalize_agents ? agentKey : readyKey
    const trace = ({ attributes }: Exchange, key: string): Exchange['attributes'] =>
      attributes?.set('cache.backend', answerStore.backend ?? store).set('cache.key', key)
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
    host.offer(cacheWhy, async (exchange, other) => {
      const key = await keyOf(exchange)
      return other ? compareKeys(key, await keyOf(other)) : answers.why(exchange, key)
    })
    const seconds = (): number => Math.floor(clock.now() / 1000)
    const secondsLeft = ({ freshUntil = Number.POSITIVE_INFINITY }: AnswerFacts): number =>
      Math.floor((freshUntil - clock.now()) / 1000)
    const controlsOf = ({ headers }: Exchange) => cacheControl(headers, max_ttl_secs)

    const states = host.offers(vendorStates)
    hooks.answer.tapPromise(name, async exchange => {
      if (!isCacheable(exchange.prompt)) {
        exchange.note('vendor_state')
        return undefined
      }
      if (!controlsOf(exchange).read) {
        exchange.note('not_wanted')
        return undefined
      }
      const key = await keyOf(exchange)
      recent.recordKey(exchange.id, key)
      const entry = await answers.get(key)
      const found = entry?.fresh ? await answers.read(key, entry, exchange) : undefined
      trace(exchange, key)?.set('cache.hit', found !== undefined && canServe(found, exchange))
      if (found && !canServe(found, exchange)) {
        recent.count('misses')
        exchange.note('not_replayable')
        return undefined
      }
      if (found && !(await isStillHeld(found.answer, exchange, states))) {
        recent.count('misses')
        exchange.note('not_held')
        return undefined
      }
      recent.count(found ? 'hits' : 'misses')
      exchange.note(found ? 'hit' : entry && !entry.fresh ? 'stale' : 'miss')
      return found?.answer
    })

    hooks.settle.tapPromise(name, async (exchange, answer) => {
      const { facts } = answer
      if (!isCacheable(exchange.prompt)) return exchange.note('vendor_state')
      if (answer.kind !== 'whole' || facts.joined || facts.staleSecs !== undefined) return
      const { write, ttlSecs: requestedTtl = ttl_secs } = controlsOf(exchange)
      const ttlSecs = Math.min(requestedTtl, secondsLeft(facts))
      if (!write || ttlSecs <= 0) return exchange.note('not_wanted')
      const { format } = exchange.prompt
      if (!canBeKept(answer, format)) return exchange.note('not_storable')
      if (normalize_agents && isOfThisRun(exchange, answer)) return exchange.note('of_this_run')
      const entry = encodeEntry(answer, format, seconds())
      const key = await keyOf(exchange)
      trace(exchange, key)?.set('response_len', entry.length)
      const stored = await answers.set(key, entry, { ttlSecs, staleSecs: stale_secs })
      if (stored) recent.recordStored(exchange.id, key)
      exchange.note(stored ? 'stored' : 'store_failed')
    })

    hooks.recover.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      if (!prompt || !isCacheable(prompt)) return undefined
      // A client that asked for a new answer gets the failure, not an old answer.
      if (!controlsOf(exchange).read) {
        exchange.note('not_wanted')
        return undefined
      }
      const key = await keyOf(exchange)
      const entry = await answers.get(key)
      const found = (entry && (await answers.read(key, entry, exchange))) ?? (await answers.legacy(exchange))
      trace(exchange, key)?.set('cache.hit', found !== undefined && canServe(found, exchange))
      if (found && !canServe(found, exchange)) {
        exchange.note('not_replayable')
        return undefined
      }
      if (found && !(await isStillHeld(found.answer, exchange, states))) {
        exchange.note('not_held')
        return undefined
      }
      exchange.note(found ? 'stale' : 'miss')
      return found && withFacts(found.answer, { staleSecs: Math.max(0, seconds() - (found.at ?? seconds())) })
    })
  },
})

type KeyOf = (exchange: Exchange) => string | Promise<string>

/** Are two requests one to this cache? */
function compareKeys(key: string, otherKey: string): Why {
  const hit = key === otherKey
  const because = hit ? 'both are the same request' : 'the requests differ, and so do their keys'
  return { hit, because, facts: { key, ...(!hit && { other_key: otherKey }) } }
}

const canServe = ({ answer }: Found, { prompt }: Exchange): boolean => canReplay(answer, prompt)

/** The store's answers. A failure of the store is a miss. */
class StoredAnswers {
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
      return { hit: false, because: 'the request is about state that its provider holds' }
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

  async size(): Promise<number | undefined> {
    try {
      return await this.#store.size?.()
    } catch (error) {
      this.#warn(error)
      return undefined
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
