import { defineLayer, type Exchange, GatewayError, type StoreEntry, withFacts } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { health } from 'deflector/facets/health'
import { stepWords, wordsFrom } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import { cacheControl } from 'deflector/formats/cache-control'
import { readyKey } from 'deflector/formats/cache-key'
import { exactCacheOptions } from 'deflector/formats/cache-options'
import { CACHE_WORDS } from 'deflector/formats/cache-words'
import { EMBEDDINGS } from 'deflector/formats/embeddings'
import QuickLRU from 'quick-lru'
import { z } from 'zod'
import { decodeEntry, encodeEntry } from './entry.ts'

/** How many of the latest requests can be forgotten by their id, at least. */
const REMEMBERED = 5000

/**
 * Answers repeated requests for vectors with the very bytes of the first answer. A cache apart from the one for
 * conversations, because there is nothing to write anew: no ids, no stream, no other dialect.
 */
export default defineLayer({
  name: 'bytes-cache',
  label: 'l1a',
  deflects: true,
  operations: [EMBEDDINGS],
  spans: { answer: 'l1a_exact_cache_get', recover: 'l1a_exact_cache_get', settle: 'l1a_exact_cache_put' },
  asks: { store: 'store' },
  summary: 'answers requests for embeddings that were asked before',
  options: z.strictObject(exactCacheOptions),
  apply(host, { store: storeName, mode, ttl_secs, max_ttl_secs, stale_secs }) {
    const { name, hooks, clock, log } = host
    host.offer(traceName, 'L1a_ExactCache')
    host.offer(stepWords, wordsFrom(CACHE_WORDS))
    if (mode === 'semantic') return host.offer(health, () => 'disabled')
    const store = host.store(storeName)
    const keys = host.keep(`bytes-cache:${name}`, () => new QuickLRU<string, string>({ maxSize: REMEMBERED }))
    const counts = host.keep(`bytes-cache:${name}:counts`, () => ({ hits: 0, misses: 0, stored: 0 }))
    const seconds = (): number => Math.floor(clock.now() / 1000)

    host.offer(cacheControls, {
      stats: () => counts,
      async clear() {
        if (!store.clear) throw new GatewayError('forbidden', 'the store does not know its own entries from others')
        await store.clear()
      },
      async forget(id) {
        const key = keys.get(id)
        return key !== undefined && store.delete(key)
      },
    })

    const degraded = (error: unknown): undefined => {
      const reason = error instanceof Error ? error.message : String(error)
      log.degraded('store', 'the store fails; requests go on without it', { error: reason })
    }

    async function found(exchange: Exchange): Promise<(StoreEntry & ReturnType<typeof decodeEntry>) | undefined> {
      const key = await readyKey(exchange)
      keys.set(exchange.id, key)
      const entry = await store.get(key).catch(degraded)
      if (!entry) return undefined
      try {
        return { ...entry, ...decodeEntry(entry.value) }
      } catch {
        log.warn('deleted a broken cache entry', { request: exchange.id })
        await store.delete(key).catch(degraded)
        return undefined
      }
    }

    hooks.answer.tapPromise(name, async exchange => {
      if (!cacheControl(exchange.headers, max_ttl_secs).read) {
        exchange.note('not_wanted')
        return undefined
      }
      const entry = await found(exchange)
      const answer = entry?.fresh ? entry.answer : undefined
      counts[answer ? 'hits' : 'misses']++
      exchange.note(answer ? 'hit' : entry ? 'stale' : 'miss')
      exchange.attributes?.set('cache.backend', store.backend ?? storeName).set('cache.hit', answer !== undefined)
      return answer
    })

    hooks.settle.tapPromise(name, async (exchange, answer) => {
      if (answer.kind !== 'bytes' || answer.facts.staleSecs !== undefined) return
      const { write, ttlSecs = ttl_secs } = cacheControl(exchange.headers, max_ttl_secs)
      if (!write) return exchange.note('not_wanted')
      const key = await readyKey(exchange)
      keys.set(exchange.id, key)
      const entry = encodeEntry(answer, seconds())
      const stored = await store.set(key, entry, { ttlSecs, staleSecs: stale_secs }).then(() => true, degraded)
      if (stored) counts.stored++
      exchange.note(stored ? 'stored' : 'store_failed')
      exchange.attributes?.set('cache.backend', store.backend ?? storeName).set('response_len', entry.length)
    })

    hooks.recover.tapPromise(name, async exchange => {
      if (!(await exchange.read()) || !cacheControl(exchange.headers, max_ttl_secs).read) return undefined
      const entry = await found(exchange)
      exchange.note(entry ? 'stale' : 'miss')
      return entry && withFacts(entry.answer, { staleSecs: Math.max(0, seconds() - entry.at) })
    })
  },
})
