import {
  type EmbedderHandle,
  type Exchange,
  type LayerHost,
  Memo,
  type Store,
  sharedTimeSlice,
  type WholeAnswer,
  type Writer,
  withFacts,
} from 'deflector'
import type { HealthStatus } from 'deflector/facets/health'
import { cacheControl } from 'deflector/formats/cache-control'
import { storable } from 'deflector/formats/storable'
import { encodeEntry, readEntry } from 'deflector/formats/stored-answer'
import { Analysis } from './analysis.ts'
import { type CacheablePrompt, cacheablePromptOf } from './cacheable-prompt.ts'
import { canonicalKey } from './canonical.ts'
import { SemanticControls } from './controls.ts'
import { type Category, type Decision, decide, nearest } from './decide.ts'
import { Dependencies } from './dependencies.ts'
import { embedWithTimeout } from './embed-with-timeout.ts'
import { Entries, type Entry, type NearEntry } from './entries.ts'
import { KnownMatches } from './known-matches.ts'
import { RecentRequests } from './recent-requests.ts'
import { Replicas } from './replicas.ts'
import { answersAgree, ShadowChecks } from './shadow.ts'
import { SharedRecords } from './shared-records.ts'
import { Verifier } from './verifier.ts'
import { BARS, WEIGHTS } from './verifier-weights.ts'

export interface SemanticOptions {
  readonly similarity_threshold: number
  readonly decide: 'full' | 'cosine'
  readonly ttl_secs: number
  readonly max_ttl_secs: number
  readonly max_entries: number
  readonly max_bytes: number
  readonly embed_wait_ms: number
  readonly shadow_rate: number
  readonly max_error: number
}

/** Most candidates compared; fewer (`FEW`) for prompts over `LONG` characters, which take up to a millisecond each. */
const CANDIDATES = 8
const LONG = 300
const FEW = 3
/** A lookup takes a fraction of a millisecond, but many may come in one turn of the event loop. */
const yieldIfDue = sharedTimeSlice()

/** The state of an exchange between its lookup and its answer. */
interface Lookup {
  readonly prompt: CacheablePrompt
  readonly canonical: string
  readonly vector?: Float32Array
  /** The model gave no vector; it is not called again when the answer is stored. */
  readonly unembedded?: boolean
  /** A hit that is not served: the provider is asked anyway, to compare the answers. */
  readonly shadow?: { readonly answer: WholeAnswer; readonly category: Category; readonly probability: number }
}

/** An entry that may serve a prompt, and how surely. */
type Found = Pick<Decision<NearEntry>, 'category' | 'probability'> & { readonly hit: NearEntry }

/** State that outlives a reload. */
interface Kept {
  readonly entries: Entries
  readonly knownMatches: KnownMatches
  readonly checks: ShadowChecks
  readonly recent: RecentRequests
}

/** Looks prompts up, by canonical key and then among their neighbours, and stores new answers under both. */
export class Semantics {
  readonly #host: Pick<LayerHost, 'log' | 'clock' | 'name'>
  readonly #model: EmbedderHandle
  readonly #options: SemanticOptions
  readonly #kept: Kept
  readonly #verifier = new Verifier(WEIGHTS)
  /** `null` for an exchange that this layer skips. */
  readonly #lookups = new Memo<Lookup | null>()
  readonly #following = new AbortController()
  readonly #dependencies: Dependencies
  readonly #shared: SharedRecords | undefined
  readonly #replicas: Replicas | undefined
  /** For the operator. */
  readonly controls: SemanticControls

  constructor(
    host: Pick<LayerHost, 'log' | 'clock' | 'name'>,
    model: EmbedderHandle | Writer,
    store: Store | undefined,
    options: SemanticOptions,
    keep: LayerHost['keep'],
    forgetInOtherCaches: (ids: readonly string[]) => void,
  ) {
    if (!('embed' in model)) throw new Error('the model of a semantic cache must embed, and this one writes')
    this.#host = host
    this.#model = model
    this.#options = options
    this.#dependencies = new Dependencies(host.log)
    this.#kept = {
      ...keep(`semantic-cache:${host.name}`, () => ({
        entries: new Entries(options),
        knownMatches: new KnownMatches(),
        recent: new RecentRequests(),
      })),
      // Bars belong to one error limit: another limit starts with new checks.
      checks: keep(
        `semantic-cache:${host.name}:checks:${options.max_error}`,
        () => new ShadowChecks(BARS, options.max_error),
      ),
    }
    const fingerprint = () => this.#fingerprint
    const { log, clock } = host
    const shared =
      store &&
      new SharedRecords(store, {
        log,
        clock,
        entries: this.#kept.entries,
        dependencies: this.#dependencies,
        fingerprint,
        dimensions: () => model.dimensions,
      })
    this.#shared = shared
    this.#replicas =
      store &&
      new Replicas(store, {
        ...this.#kept,
        fingerprint,
        learn: (key, record) => void shared?.learn(key, record),
        forgetInOtherCaches,
      })
    this.controls = new SemanticControls({ ...this.#kept, store, replicas: this.#replicas })
  }

  /** Runs when this generation serves: a generation that fails to start must not change the entries. */
  begin(): void {
    this.#kept.entries.adopt(this.#fingerprint)
    this.#kept.entries.setBounds(this.#options)
    this.#replicas?.follow(this.#following.signal)
  }

  end(): void {
    this.#following.abort()
  }

  health(): HealthStatus {
    return this.#dependencies.degraded ? 'degraded' : 'active'
  }

  async answer(exchange: Exchange): Promise<WholeAnswer | undefined> {
    exchange.attributes?.set('cache.entries_scanned', 0)
    const found = await this.#find(exchange)
    exchange.attributes?.set('cache.hit', found !== undefined)
    if (this.#lookups.of(exchange)) this.#kept.recent.count(found ? 'hits' : 'misses')
    return found
  }

  async #find(exchange: Exchange): Promise<WholeAnswer | undefined> {
    await yieldIfDue()
    const { read } = cacheControl(exchange.headers, this.#options.max_ttl_secs)
    const lookup = await this.#lookupOf(exchange)
    if (!lookup) return undefined
    if (!read) {
      exchange.note('not_wanted')
      return undefined
    }
    const { prompt, canonical } = lookup
    const same =
      this.#kept.entries.canonical(prompt.partition, canonical, this.#now()) ??
      (await this.#shared?.find({ partition: prompt.partition, canonical }))
    const answer = same && (await this.#read(same, exchange))
    if (same && answer) return this.#serve(exchange, answer, lookup, { ...same, similarity: 1 })
    if (prompt.matching !== 'similar') {
      exchange.note('miss same_words')
      return undefined
    }
    return this.#findSimilar(exchange, prompt, canonical)
  }

  async settle(exchange: Exchange, answer: WholeAnswer): Promise<void> {
    const { joined, staleSecs } = answer.facts
    if (joined || staleSecs !== undefined) return
    const { write, ttlSecs = this.#options.ttl_secs } = cacheControl(exchange.headers, this.#options.max_ttl_secs)
    if (!write) return exchange.note('not_wanted')
    const known = this.#lookups.of(exchange)
    // A `put` stores an answer without an earlier lookup.
    const lookup = known === undefined ? await this.#lookupOf(exchange) : known
    if (!lookup) return
    // Other clients may need it as a stream or as a whole, so the canonical form must hold all of it.
    if (answer.completion.unmodelled || !storable(answer.completion)) return exchange.note('not_storable')
    if (lookup.shadow) this.#compare(lookup.shadow, answer)
    const { prompt, canonical } = lookup
    const embeddable = prompt.matching === 'similar' && !lookup.unembedded
    const vector = lookup.vector ?? (embeddable ? await this.#embed(prompt.text, exchange) : undefined)
    const now = this.#now()
    const value = encodeEntry(answer, exchange.prompt.format, Math.floor(now / 1000))
    const entry: Entry = {
      id: exchange.id,
      partition: prompt.partition,
      canonical,
      text: prompt.text,
      freshUntil: now + ttlSecs * 1000,
      ...(vector && { vector }),
      ...(!this.#shared && { value }),
    }
    if (this.#shared && !(await this.#shared.write(entry, value, ttlSecs))) return exchange.note('store_failed')
    const evicted = this.#kept.entries.set(entry)
    exchange.attributes?.set('cache.evicted', evicted).set('cache.size_after', this.#kept.entries.size)
    const { partition } = prompt
    this.#kept.recent.stored(exchange.id, { partition, canonical, requested: canonical })
    exchange.note('stored')
  }

  async #findSimilar(exchange: Exchange, prompt: CacheablePrompt, canonical: string): Promise<WholeAnswer | undefined> {
    const known = this.#knownMatch(prompt, canonical)
    if (known) {
      const answer = await this.#read(known.hit, exchange)
      if (answer) return this.#serveSimilar(exchange, { prompt, canonical }, known, answer)
    }
    const vector = await this.#embed(prompt.text, exchange)
    if (!vector) {
      this.#lookups.set(exchange, { prompt, canonical, unembedded: true })
      exchange.note('failed model')
      return undefined
    }
    const lookup = { prompt, canonical, vector }
    this.#lookups.set(exchange, lookup)
    await yieldIfDue()
    const { entries, checks } = this.#kept
    exchange.attributes?.set('cache.entries_scanned', entries.partitionSize(prompt.partition))
    const candidates = prompt.text.length > LONG ? FEW : CANDIDATES
    const near = entries
      .near(prompt.partition, vector, this.#options.similarity_threshold, candidates, this.#now())
      .filter(entry => !entries.areSeparated(entry.canonical, canonical))
    const analysis = new Analysis(prompt.kept)
    const decision =
      this.#options.decide === 'cosine' ? nearest(analysis, near) : decide(analysis, near, this.#verifier, checks.bars)
    const { hit, refused } = decision
    for (const { reason } of refused) this.#kept.recent.countReason(`refused_${reason}`)
    const answer = hit && (await this.#read(hit, exchange))
    if (hit && answer) return this.#serveSimilar(exchange, lookup, { ...decision, hit }, answer)
    const [first] = refused
    if (first) noteNeighbour(exchange, `refused ${first.reason}`, first.candidate)
    else exchange.note('miss')
    return undefined
  }

  /** An earlier decision on the same canonical key, if it would still be the same. */
  #knownMatch({ partition }: CacheablePrompt, canonical: string): Found | undefined {
    const { entries, knownMatches, checks } = this.#kept
    const match = knownMatches.get(partition, canonical)
    if (!match || match.probability < checks.bars[match.category]) return undefined
    if (entries.areSeparated(match.canonical, canonical)) return undefined
    const entry = entries.canonical(partition, match.canonical, this.#now())
    return entry && { ...match, hit: { ...entry, similarity: match.similarity } }
  }

  /** Serves the answer to a similar prompt, or asks the provider anyway to compare the answers. */
  #serveSimilar(exchange: Exchange, lookup: Lookup, { hit, category, probability }: Found, answer: WholeAnswer) {
    if (this.#options.shadow_rate > 0 && this.#host.clock.random() < this.#options.shadow_rate) {
      this.#lookups.set(exchange, { ...lookup, shadow: { answer, category, probability } })
      noteNeighbour(exchange, 'shadow', hit)
      return undefined
    }
    const { entries, knownMatches } = this.#kept
    const { partition, canonical, similarity } = hit
    entries.use(hit)
    knownMatches.set(partition, lookup.canonical, { canonical, similarity, category, probability })
    return this.#serve(exchange, answer, lookup, hit)
  }

  #serve(
    exchange: Exchange,
    answer: WholeAnswer,
    { prompt, canonical: requested }: Lookup,
    hit: NearEntry,
  ): WholeAnswer {
    const { partition, canonical, similarity } = hit
    const reason = requested === canonical ? 'canonical' : 'similar'
    const reworded = reason === 'canonical' && prompt.text !== hit.text
    this.#kept.recent.served(exchange.id, { partition, canonical, requested, ...(reworded && { reworded }) })
    exchange.replyHeaders['x-service-cache-reason'] = reason
    exchange.replyHeaders['x-service-cache-similarity'] = similarity.toFixed(4)
    noteNeighbour(exchange, reason, hit)
    return withFacts(answer, { freshUntil: hit.freshUntil })
  }

  /** The lookup of an exchange; `null`, with the reason in the trail, when this layer skips it. */
  async #lookupOf(exchange: Exchange): Promise<Lookup | null> {
    const skip = (reason: string): undefined => {
      exchange.note(`skipped ${reason}`)
      this.#kept.recent.countReason(`skipped_${reason}`)
    }
    const prompt = await cacheablePromptOf(exchange, skip)
    const canonical = prompt ? canonicalKey(prompt.text, prompt.tokens) : ''
    const parted = this.#kept.entries.areSeparated(canonical, canonical)
    if (parted) skip('parted')
    const lookup = prompt && !parted ? { prompt, canonical } : null
    this.#lookups.set(exchange, lookup)
    return lookup
  }

  async #read(entry: Entry, { prompt, id }: Exchange): Promise<WholeAnswer | undefined> {
    const value = entry.value ?? (await this.#shared?.valueOf(entry))
    try {
      const found = value && (await readEntry(value, prompt))
      if (found) return found.answer
    } catch {
      this.#host.log.warn('deleted a broken cache entry', { request: id })
    }
    this.#kept.entries.delete(entry.partition, entry.canonical)
    return undefined
  }

  #embed(text: string, exchange: Exchange): Promise<Float32Array | undefined> {
    const { cancellation } = exchange
    const waiting = { ms: this.#options.embed_wait_ms, clock: this.#host.clock }
    return this.#dependencies.run('model', () => embedWithTimeout(this.#model, exchange, text, waiting), cancellation)
  }

  #compare({ answer, category, probability }: NonNullable<Lookup['shadow']>, fresh: WholeAnswer): void {
    const before = this.#kept.checks.bars[category]
    this.#kept.checks.record(category, probability, answersAgree(textOf(answer), textOf(fresh)))
    const after = this.#kept.checks.bars[category]
    if (after > before) this.#host.log.info('shadow checks made the semantic cache stricter', { category, bar: after })
  }

  /** Weights without a fingerprint differ at least by their dimensions. */
  get #fingerprint(): string {
    return this.#model.fingerprint ?? `unnamed-${this.#model.dimensions}`
  }

  #now(): number {
    return this.#host.clock.now()
  }
}

/** Writes the decision on a neighbour into the trail and the trace. */
function noteNeighbour(
  exchange: Exchange,
  reason: string,
  { id, similarity }: Pick<NearEntry, 'id' | 'similarity'>,
): void {
  const cosine = similarity.toFixed(4)
  exchange.note(`${reason} ${cosine} ${id}`)
  exchange.attributes?.set('cosine_similarity', cosine).set('cache.reason', reason).set('cache.neighbour_id', id)
}

const textOf = ({ completion }: WholeAnswer): string =>
  completion.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
