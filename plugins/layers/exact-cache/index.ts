import { type AnswerFacts, defineLayer, type Exchange, withFacts } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy, type Why } from 'deflector/facets/cache-why'
import { health } from 'deflector/facets/health'
import { stepWords, wordsFrom } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import { isCacheable, isStillHeld, vendorStates } from 'deflector/facets/vendor-state'
import { agentKey, isOfThisRun } from 'deflector/formats/agent-key'
import { cacheControl } from 'deflector/formats/cache-control'
import { readyKey } from 'deflector/formats/cache-key'
import { exactCacheOptions } from 'deflector/formats/cache-options'
import { CACHE_WORDS } from 'deflector/formats/cache-words'
import { canBeKept, canReplay, entryFor, type Found } from 'deflector/formats/stored-answer'
import { z } from 'zod'
import { RecentRequests } from './recent-requests.ts'
import { StoredAnswers } from './stored-answers.ts'

/** Answers a repeated request, found by a hash of everything that shapes its answer; never by similarity. */
export default defineLayer({
  name: 'exact-cache',
  label: 'l1a',
  deflects: true,
  spans: { answer: 'l1a_exact_cache_get', recover: 'l1a_exact_cache_get', settle: 'l1a_exact_cache_put' },
  asks: { store: 'store' },
  summary: 'answers requests that were asked before in the same words',
  options: z.strictObject({
    ...exactCacheOptions,
    normalize_agents: z
      .boolean()
      .default(false)
      .describe('Leaves out of keys what known coding agents write anew with each run: clocks, ids, session headers.'),
  }),
  apply(host, { store, mode, ttl_secs, max_ttl_secs, stale_secs, normalize_agents }) {
    const { name, hooks, clock } = host
    host.offer(traceName, 'L1a_ExactCache')
    host.offer(stepWords, wordsFrom(CACHE_WORDS))
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
      stats: async () => ({ ...recent.counts, ...(await answers.held()) }),
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
      if (!canBeKept(answer, exchange.prompt.format)) return exchange.note('not_storable')
      if (normalize_agents && isOfThisRun(exchange, answer)) return exchange.note('of_this_run')
      const entry = entryFor(exchange, answer, seconds())
      const key = await keyOf(exchange)
      trace(exchange, key)?.set('response_len', entry.length)
      const stored = await answers.set(key, entry, { ttlSecs, staleSecs: facts.local ? 0 : stale_secs })
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
