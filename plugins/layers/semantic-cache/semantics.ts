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
import { canonicalKey } from './canonical.ts'
import { SemanticControls } from './controls.ts'
import { type Category, type Decision, decide, nearest } from './decide.ts'
import { embedWithTimeout } from './embed-with-timeout.ts'
import { Entries, type Entry, type Near } from './entries.ts'
import { Forgiving } from './forgiving.ts'
import { KnownMatches } from './known-matches.ts'
import { type Question, questionOf } from './partition.ts'
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

/** How many neighbours are looked at, and of prompts of more characters, which take a millisecond each at worst. */
const CANDIDATES = 8
const LONG = 300
const FEW = 3
/** A question takes a fraction of a millisecond, and many may come in one turn of the event loop. */
const yieldIfDue = sharedTimeSlice()

/** What is remembered of an exchange between its question and its answer. */
interface Asked {
  readonly question: Question
  readonly canonical: string
  readonly vector?: Float32Array
  /** The model was asked and had none; it is not asked again for the answer. */
  readonly unembedded?: boolean
  /** It would have been served this, but is asked anew to compare. */
  readonly shadow?: { readonly answer: WholeAnswer; readonly category: Category; readonly probability: number }
}

/** An entry that may serve a question, and how surely. */
type Found = Pick<Decision<Near>, 'category' | 'probability'> & { readonly hit: Near }

/** What outlives a reload. */
interface Kept {
  readonly entries: Entries
  readonly aliases: KnownMatches
  readonly checks: ShadowChecks
  readonly recent: RecentRequests
}

/** The story of one question: its canonical key, its neighbours, the decision; and of one answer: kept under both. */
export class Semantics {
  readonly #host: Pick<LayerHost, 'log' | 'clock' | 'name'>
  readonly #model: EmbedderHandle
  readonly #options: SemanticOptions
  readonly #kept: Kept
  readonly #verifier = new Verifier(WEIGHTS)
  /** `null`: left to others. */
  readonly #asked = new Memo<Asked | null>()
  readonly #following = new AbortController()
  readonly #forgiving: Forgiving
  readonly #shared: SharedRecords | undefined
  readonly #replicas: Replicas | undefined
  /** The operator's. */
  readonly controls: SemanticControls

  constructor(
    host: Pick<LayerHost, 'log' | 'clock' | 'name'>,
    model: EmbedderHandle | Writer,
    store: Store | undefined,
    options: SemanticOptions,
    keep: LayerHost['keep'],
    forgetBeside: (ids: readonly string[]) => void,
  ) {
    if (!('embed' in model)) throw new Error('the model of a semantic cache must embed, and this one writes')
    this.#host = host
    this.#model = model
    this.#options = options
    this.#forgiving = new Forgiving(host.log)
    this.#kept = {
      ...keep(`semantic-cache:${host.name}`, () => ({
        entries: new Entries(options),
        aliases: new KnownMatches(),
        recent: new RecentRequests(),
      })),
      // What was found out under another bound says nothing of this one.
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
        forgiving: this.#forgiving,
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
        forgetBeside,
      })
    this.controls = new SemanticControls({ ...this.#kept, store, replicas: this.#replicas })
  }

  /** Not before this generation serves: one that fails to start must leave the entries as they were. */
  begin(): void {
    this.#kept.entries.adopt(this.#fingerprint)
    this.#kept.entries.rebound(this.#options)
    this.#replicas?.follow(this.#following.signal)
  }

  end(): void {
    this.#following.abort()
  }

  health(): HealthStatus {
    return this.#forgiving.degraded ? 'degraded' : 'active'
  }

  async answer(exchange: Exchange): Promise<WholeAnswer | undefined> {
    exchange.attributes?.set('cache.entries_scanned', 0)
    const found = await this.#find(exchange)
    exchange.attributes?.set('cache.hit', found !== undefined)
    if (this.#asked.of(exchange)) this.#kept.recent.count(found ? 'hits' : 'misses')
    return found
  }

  async #find(exchange: Exchange): Promise<WholeAnswer | undefined> {
    await yieldIfDue()
    const { read } = cacheControl(exchange.headers, this.#options.max_ttl_secs)
    const asked = await this.#ask(exchange)
    if (!asked) return undefined
    if (!read) {
      exchange.note('not_wanted')
      return undefined
    }
    const { question, canonical } = asked
    const same =
      this.#kept.entries.canonical(question.partition, canonical, this.#now()) ??
      (await this.#shared?.find({ partition: question.partition, canonical }))
    const answer = same && (await this.#read(same, exchange))
    if (same && answer) return this.#served(exchange, answer, asked, { ...same, similarity: 1 })
    if (question.likeness !== 'yes') {
      exchange.note('miss same_words')
      return undefined
    }
    return this.#similar(exchange, question, canonical)
  }

  async settle(exchange: Exchange, answer: WholeAnswer): Promise<void> {
    const { joined, staleSecs } = answer.facts
    if (joined || staleSecs !== undefined) return
    const { write, ttlSecs = this.#options.ttl_secs } = cacheControl(exchange.headers, this.#options.max_ttl_secs)
    if (!write) return exchange.note('not_wanted')
    const known = this.#asked.of(exchange)
    // An answer from outside comes without having been asked for.
    const asked = known === undefined ? await this.#ask(exchange) : known
    if (!asked) return
    // Served to other words, streamed or not: only what the canonical form holds whole.
    if (answer.completion.unmodelled || !storable(answer.completion)) return exchange.note('not_storable')
    if (asked.shadow) this.#compare(asked.shadow, answer)
    const { question, canonical } = asked
    const wanted = question.likeness === 'yes' && !asked.unembedded
    const vector = asked.vector ?? (wanted ? await this.#embed(question.text, exchange) : undefined)
    const now = this.#now()
    const value = encodeEntry(answer, exchange.prompt.format, Math.floor(now / 1000))
    const entry: Entry = {
      id: exchange.id,
      partition: question.partition,
      canonical,
      text: question.text,
      freshUntil: now + ttlSecs * 1000,
      ...(vector && { vector }),
      ...(!this.#shared && { value }),
    }
    if (this.#shared && !(await this.#shared.write(entry, value, ttlSecs))) return exchange.note('store_failed')
    const evicted = this.#kept.entries.set(entry)
    exchange.attributes?.set('cache.evicted', evicted).set('cache.size_after', this.#kept.entries.size)
    const { partition } = question
    this.#kept.recent.stored(exchange.id, { partition, canonical, asked: canonical })
    exchange.note('stored')
  }

  async #similar(exchange: Exchange, question: Question, canonical: string): Promise<WholeAnswer | undefined> {
    const known = this.#known(question, canonical)
    if (known) {
      const answer = await this.#read(known.hit, exchange)
      if (answer) return this.#alike(exchange, { question, canonical }, known, answer)
    }
    const vector = await this.#embed(question.text, exchange)
    if (!vector) {
      this.#asked.set(exchange, { question, canonical, unembedded: true })
      exchange.note('failed model')
      return undefined
    }
    const asked = { question, canonical, vector }
    this.#asked.set(exchange, asked)
    await yieldIfDue()
    const { entries, checks } = this.#kept
    exchange.attributes?.set('cache.entries_scanned', entries.within(question.partition))
    const candidates = question.text.length > LONG ? FEW : CANDIDATES
    const near = entries
      .near(question.partition, vector, this.#options.similarity_threshold, candidates, this.#now())
      .filter(entry => !entries.areParted(entry.canonical, canonical))
    const read = new Analysis(question.kept)
    const decision =
      this.#options.decide === 'cosine' ? nearest(read, near) : decide(read, near, this.#verifier, checks.bars)
    const { hit, refused } = decision
    for (const { reason } of refused) this.#kept.recent.because(`refused_${reason}`)
    const answer = hit && (await this.#read(hit, exchange))
    if (hit && answer) return this.#alike(exchange, asked, { ...decision, hit }, answer)
    const [first] = refused
    if (first) tell(exchange, `refused ${first.reason}`, first.candidate)
    else exchange.note('miss')
    return undefined
  }

  /** What was decided on the same question before, as long as it would be decided so today. */
  #known({ partition }: Question, canonical: string): Found | undefined {
    const { entries, aliases, checks } = this.#kept
    const alias = aliases.get(partition, canonical)
    if (!alias || alias.probability < checks.bars[alias.category]) return undefined
    if (entries.areParted(alias.canonical, canonical)) return undefined
    const entry = entries.canonical(partition, alias.canonical, this.#now())
    return entry && { ...alias, hit: { ...entry, similarity: alias.similarity } }
  }

  /** Serves the answer to another question, or has the question asked anew to compare. */
  #alike(exchange: Exchange, asked: Asked, { hit, category, probability }: Found, answer: WholeAnswer) {
    if (this.#options.shadow_rate > 0 && this.#host.clock.random() < this.#options.shadow_rate) {
      this.#asked.set(exchange, { ...asked, shadow: { answer, category, probability } })
      tell(exchange, 'shadow', hit)
      return undefined
    }
    const { entries, aliases } = this.#kept
    const { partition, canonical, similarity } = hit
    entries.use(hit)
    aliases.set(partition, asked.canonical, { canonical, similarity, category, probability })
    return this.#served(exchange, answer, asked, hit)
  }

  #served(exchange: Exchange, answer: WholeAnswer, { question, canonical: asked }: Asked, hit: Near): WholeAnswer {
    const { partition, canonical, similarity } = hit
    const reason = asked === canonical ? 'canonical' : 'similar'
    const reworded = reason === 'canonical' && question.text !== hit.text
    this.#kept.recent.served(exchange.id, { partition, canonical, asked, ...(reworded && { reworded }) })
    exchange.replyHeaders['x-service-cache-reason'] = reason
    exchange.replyHeaders['x-service-cache-similarity'] = similarity.toFixed(4)
    tell(exchange, reason, hit)
    return withFacts(answer, { freshUntil: hit.freshUntil })
  }

  /** What is compared of an exchange; `null`, with the reason in the trail, where nothing is. */
  async #ask(exchange: Exchange): Promise<Asked | null> {
    const skip = (reason: string): undefined => {
      exchange.note(`skipped ${reason}`)
      this.#kept.recent.because(`skipped_${reason}`)
    }
    const question = await questionOf(exchange, skip)
    const canonical = question ? canonicalKey(question.text, question.tokens) : ''
    const parted = this.#kept.entries.areParted(canonical, canonical)
    if (parted) skip('parted')
    const asked = question && !parted ? { question, canonical } : null
    this.#asked.set(exchange, asked)
    return asked
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
    return this.#forgiving.run('model', () => embedWithTimeout(this.#model, exchange, text, waiting), cancellation)
  }

  #compare({ answer, category, probability }: NonNullable<Asked['shadow']>, fresh: WholeAnswer): void {
    const before = this.#kept.checks.bars[category]
    this.#kept.checks.record(category, probability, answersAgree(textOf(answer), textOf(fresh)))
    const after = this.#kept.checks.bars[category]
    if (after > before) this.#host.log.info('shadow checks made the semantic cache stricter', { category, bar: after })
  }

  /** Weights without a name are told apart by their size at least. */
  get #fingerprint(): string {
    return this.#model.fingerprint ?? `unnamed-${this.#model.dimensions}`
  }

  #now(): number {
    return this.#host.clock.now()
  }
}

/** What was decided about which neighbour, in the trail and to whoever traces. */
function tell(exchange: Exchange, reason: string, { id, similarity }: Pick<Near, 'id' | 'similarity'>): void {
  const cosine = similarity.toFixed(4)
  exchange.note(`${reason} ${cosine} ${id}`)
  exchange.attributes?.set('cosine_similarity', cosine).set('cache.reason', reason).set('cache.neighbour_id', id)
}

const textOf = ({ completion }: WholeAnswer): string =>
  completion.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
