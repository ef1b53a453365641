import { type Exchange, type LayerHost, Memo, sharedTimeSlice, type WholeAnswer, withFacts } from 'deflector'
import type { HealthStatus } from 'deflector/facets/health'
import { isStillHeld, vendorStates } from 'deflector/facets/vendor-state'
import { cacheControl } from 'deflector/formats/cache-control'
import { storable } from 'deflector/formats/storable'
import { entryFor, readEntry } from 'deflector/formats/stored-answer'
import { type CacheablePrompt, readRequest } from './cacheable-prompt.ts'
import type { Context, SemanticModels } from './context.ts'
import { SemanticControls } from './controls.ts'
import { Decisions, type Unserved } from './decisions.ts'
import { Dependencies } from './dependencies.ts'
import { Engine } from './engine/engine.ts'
import { Entries, type Entry, type NearEntry } from './entries.ts'
import { Explanation } from './explanation.ts'
import { noteNeighbour } from './neighbour-note.ts'
import type { SemanticOptions } from './options.ts'
import { RecentRequests } from './recent-requests.ts'
import { Replicas } from './replicas.ts'
import { SharedRecords } from './shared-records.ts'
import { findSimilar, type Judged, vectorOf } from './similar.ts'

/** Milliseconds. A turn that does more takes less for each request: fewer other processes are woken. */
const SLICE_MS = 3
/** Reading takes microseconds, but many prompts may come in one turn of the event loop. */
const yieldIfDue = sharedTimeSlice(SLICE_MS)

/** The state of an exchange between its lookup and its answer. */
interface Lookup {
  readonly prompt: CacheablePrompt
  /** Where the engine does not make its own; `none`: the embedder failed, and is not asked again for the answer. */
  readonly vector?: Float32Array | 'none' | undefined
  readonly shadow?: Unserved
}

/** Looks prompts up, by canonical key and then among their neighbours, and stores new answers under both. */
export class Semantics {
  readonly #context: Context
  readonly #decisions: Decisions
  /** `null` for an exchange that this layer skips. */
  readonly #lookups = new Memo<Lookup | null>()
  readonly #following = new AbortController()
  readonly #shared: SharedRecords | undefined
  readonly #replicas: Replicas | undefined
  /** For the operator. */
  readonly controls: SemanticControls
  readonly explanation: Explanation

  constructor(
    host: Pick<LayerHost, 'log' | 'clock' | 'name' | 'keep' | 'store' | 'offers'>,
    models: SemanticModels,
    options: SemanticOptions,
    forgetInOtherCaches: (ids: readonly string[]) => void,
  ) {
    const { log, clock, name, keep } = host
    const { embedder, judge } = models
    const kept = keep(`semantic-cache:${name}`, () => ({
      entries: new Entries(options, () => clock.now()),
      recent: new RecentRequests(),
    }))
    const parts = { embedder: embedder.portable, judge: options.decide === 'full' ? judge.portable : undefined }
    const engine = keep(
      `semantic-cache:${name}:engine:${JSON.stringify(parts)}`,
      () => new Engine({ parts, clock, log }),
      engine => engine.close(),
    )
    const dependencies = new Dependencies(log)
    // Models without a fingerprint differ at least by their dimensions.
    const fingerprint = () =>
      `${embedder.fingerprint ?? `unnamed-${embedder.dimensions}`}+${judge.fingerprint ?? 'unnamed'}`
    const context = { ...kept, ...models, host, options, engine, dependencies, fingerprint }
    const store = options.store === undefined ? undefined : host.store(options.store)
    const shared = store && new SharedRecords(store, context)
    const replicas = store && shared && new Replicas(store, { ...context, shared, forgetInOtherCaches })
    const decisions = new Decisions(context)
    this.#context = context
    this.#decisions = decisions
    this.#shared = shared
    this.#replicas = replicas
    this.controls = new SemanticControls({ ...context, decisions, store, replicas })
    this.explanation = new Explanation({ ...context, decisions, shared })
  }

  /** Starts the engine. A request that comes before it is ready is a miss. */
  start(): Promise<void> {
    return this.#context.engine.start()
  }

  /** Runs when this generation serves: a generation that fails to start must not change the entries. */
  begin(): void {
    const { entries, options, engine, fingerprint } = this.#context
    entries.adopt(fingerprint())
    this.#decisions.begin()
    entries.setBounds(options)
    entries.setIndex(engine)
    this.#replicas?.follow(this.#following.signal)
  }

  end(): void {
    this.#following.abort()
  }

  health(): HealthStatus {
    const { engine, dependencies } = this.#context
    return dependencies.degraded || (engine.state !== 'up' && engine.state !== 'off') ? 'degraded' : 'active'
  }

  async answer(exchange: Exchange): Promise<WholeAnswer | undefined> {
    exchange.attributes?.set('cache.entries_scanned', 0)
    const found = await this.#find(exchange)
    exchange.attributes?.set('cache.hit', found !== undefined)
    if (this.#lookups.of(exchange)) this.#context.recent.count(found ? 'hits' : 'misses')
    return found
  }

  async #find(exchange: Exchange): Promise<WholeAnswer | undefined> {
    const turn = yieldIfDue()
    if (turn) await turn
    const { read } = cacheControl(exchange.headers, this.#context.options.max_ttl_secs)
    const lookup = await this.#lookupOf(exchange)
    if (!lookup) return undefined
    if (!read) {
      exchange.note('not_wanted')
      return undefined
    }
    const { partition, canonical, comparable } = lookup.prompt
    const same =
      this.#context.entries.canonical(partition, canonical) ??
      (this.#shared && (await this.#shared.find({ partition, canonical })))
    const answer = same && (await this.#read(same, exchange))
    if (same && answer && this.#stillServes(same, canonical))
      return this.#serve(exchange, answer, lookup, { ...same, similarity: 1 })
    if (comparable) return this.#findSimilar(exchange, lookup)
    exchange.note('miss same_words')
    return undefined
  }

  async settle(exchange: Exchange, answer: WholeAnswer): Promise<void> {
    const { host, options, entries, recent, fingerprint } = this.#context
    const { joined, staleSecs, local, freshUntil = Number.POSITIVE_INFINITY } = answer.facts
    if (joined || staleSecs !== undefined) return
    const { write, ttlSecs: requestedTtl = options.ttl_secs } = cacheControl(exchange.headers, options.max_ttl_secs)
    const now = host.clock.now()
    const ttlSecs = Math.min(requestedTtl, Math.floor((freshUntil - now) / 1000))
    if (!write || ttlSecs <= 0) return exchange.note('not_wanted')
    const known = this.#lookups.of(exchange)
    // A `put` stores an answer without an earlier lookup.
    const lookup = known === undefined ? await this.#lookupOf(exchange) : known
    if (!lookup) return
    // Other clients may need it as a stream or as a whole, so the canonical form must hold all of it.
    if (answer.completion.unmodelled || !storable(answer.completion, exchange.prompt.format.name))
      return exchange.note('not_storable')
    if (lookup.shadow && !local) this.#decisions.check(lookup.prompt, lookup.shadow, answer)
    const { partition, canonical, text, comparable } = lookup.prompt
    const vector = comparable ? (lookup.vector ?? (await vectorOf(this.#context, exchange, text))) : undefined
    const value = entryFor(exchange, answer, Math.floor(now / 1000))
    const entry: Entry = {
      id: exchange.id,
      partition,
      canonical,
      text,
      comparable: comparable && vector !== 'none',
      freshUntil: now + ttlSecs * 1000,
      ...(vector && vector !== 'none' && { vector }),
      ...(!this.#shared && { value }),
    }
    if (this.#shared && !(await this.#shared.write(entry, value, ttlSecs))) return exchange.note('store_failed')
    const evicted = entries.set(entry, fingerprint())
    exchange.attributes?.set('cache.evicted', evicted).set('cache.size_after', entries.size)
    recent.stored(exchange.id, { partition, canonical, requested: canonical })
    exchange.note('stored')
  }

  async #findSimilar(exchange: Exchange, lookup: Lookup): Promise<WholeAnswer | undefined> {
    const { prompt } = lookup
    const { entries, recent } = this.#context
    const known = this.#decisions.knownMatch(prompt)
    if (known) {
      const answer = await this.#read(known, exchange)
      if (answer && this.#stillServes(known, prompt.canonical))
        return this.#serveSimilar(exchange, lookup, known, answer)
    }
    exchange.attributes?.set('cache.entries_scanned', entries.partition(prompt.partition)?.size ?? 0)
    const bar = this.#decisions.bar(prompt.partition)
    const { hit, refused, without, vector } = await findSimilar(this.#context, exchange, prompt, bar)
    const next: Lookup = { prompt, vector: without === 'no_vector' ? 'none' : vector }
    this.#lookups.set(exchange, next)
    for (const { reason } of refused) recent.countReason(`refused_${reason}`)
    const answer = hit && (await this.#read(hit, exchange))
    if (hit && answer && this.#stillServes(hit, prompt.canonical))
      return this.#serveSimilar(exchange, next, hit, answer)
    const [first] = refused
    if (without === 'no_vector') exchange.note('failed model')
    else if (without !== undefined) {
      recent.countReason(without)
      exchange.note(`miss ${without}`)
    } else if (first) noteNeighbour(exchange, `refused ${first.reason}`, first)
    else exchange.note('miss')
    return undefined
  }

  /** While its answer was read, an entry may have been removed or replaced, or told apart from the prompt. */
  #stillServes(entry: Entry, requested: string): boolean {
    const { entries } = this.#context
    return entries.holds(entry) && !entries.apart.has(entry.canonical, requested)
  }

  /** Serves the answer to a similar prompt, or asks the provider anyway to compare the answers. */
  #serveSimilar(exchange: Exchange, lookup: Lookup, hit: Judged, answer: WholeAnswer): WholeAnswer | undefined {
    const { host, options, entries } = this.#context
    if (options.shadow_rate > 0 && host.clock.random() < options.shadow_rate) {
      this.#lookups.set(exchange, { ...lookup, shadow: { answer, probability: hit.probability } })
      noteNeighbour(exchange, 'shadow', hit)
      return undefined
    }
    entries.use(hit)
    this.#decisions.remember(lookup.prompt, hit)
    return this.#serve(exchange, answer, lookup, hit)
  }

  #serve(exchange: Exchange, answer: WholeAnswer, { prompt }: Lookup, hit: NearEntry | Judged): WholeAnswer {
    const { partition, canonical, similarity } = hit
    const requested = prompt.canonical
    const reason = requested === canonical ? 'canonical' : 'similar'
    const reworded = reason === 'canonical' && prompt.text !== hit.text
    this.#context.recent.served(exchange.id, { partition, canonical, requested, ...(reworded && { reworded }) })
    exchange.replyHeaders['x-service-cache-reason'] = reason
    exchange.replyHeaders['x-service-cache-similarity'] = similarity.toFixed(4)
    noteNeighbour(exchange, reason, hit)
    return withFacts(answer, { freshUntil: hit.freshUntil })
  }

  /** The lookup of an exchange; `null`, with the reason in the trail, when this layer skips it. */
  async #lookupOf(exchange: Exchange): Promise<Lookup | null> {
    const { prompt, refused } = await readRequest(exchange, this.#context)
    if (refused !== undefined) {
      exchange.note(`skipped ${refused}`)
      this.#context.recent.countReason(`skipped_${refused}`)
    }
    const lookup = prompt ? { prompt } : null
    this.#lookups.set(exchange, lookup)
    return lookup
  }

  async #read(entry: Entry, exchange: Exchange): Promise<WholeAnswer | undefined> {
    const { prompt, id } = exchange
    const { entries, host } = this.#context
    const value = entry.value ?? (await this.#shared?.valueOf(entry))
    try {
      const found = value && (await readEntry(value, prompt))
      if (found)
        return (await isStillHeld(found.answer, exchange, host.offers(vendorStates))) ? found.answer : undefined
    } catch {
      host.log.warn('deleted a broken cache entry', { request: id })
    }
    // Another may have taken its place in the meantime.
    if (entries.holds(entry)) entries.delete(entry.partition, entry.canonical)
    return undefined
  }
}
