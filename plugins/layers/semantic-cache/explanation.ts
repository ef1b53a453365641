import type { Clock, EmbedderHandle, Exchange, Judge } from 'deflector'
import type { Why, WhyCandidate } from 'deflector/facets/cache-why'
import { type CacheablePrompt, cacheablePromptOf } from './cacheable-prompt.ts'
import type { Engine } from './engine/engine.ts'
import type { NoResult } from './engine/lookups.ts'
import type { Entries } from './entries.ts'
import type { KnownMatches } from './known-matches.ts'
import type { SharedRecords } from './shared-records.ts'
import { mostCandidates } from './similar.ts'
import { encodeVector } from './vector-text.ts'
import { becauseOf, INCOMPARABLE, NOTHING_STORED, WITHOUT } from './why-words.ts'

interface ExplanationContext {
  readonly entries: Entries
  readonly knownMatches: KnownMatches
  readonly shared: SharedRecords | undefined
  readonly engine: Engine
  readonly embedder: EmbedderHandle
  readonly judge: Judge
  readonly clock: Clock
  readonly options: { readonly similarity_threshold: number; readonly decide: 'full' | 'cosine' }
  /** The least probability of a hit in a partition. */
  bar(partition: string): number
}

/** A prompt as this layer reads it. */
interface Read {
  readonly canonical: string
  /** Absent where it is neither looked up nor stored. */
  readonly prompt?: CacheablePrompt | undefined
  /** Why it is not. */
  readonly refused: string
}

/** Milliseconds: an operator waits longer than a client. */
const WAIT_MS = 10_000

/** What the layer would do with a prompt, and why. Changes neither entries, nor their order of use, nor counts. */
export class Explanation {
  readonly #context: ExplanationContext

  constructor(context: ExplanationContext) {
    this.#context = context
  }

  /** With `other`, as if the answer to that one were the only one stored. */
  async why(exchange: Exchange, other?: Exchange): Promise<Why> {
    const read = await this.#read(exchange)
    const facts = factsOf(read)
    if (!read.prompt) return { hit: false, because: `neither looked up nor stored: ${read.refused}`, facts }
    const { prompt } = read
    const why = other ? await this.#whyPair(prompt, await this.#read(other)) : await this.#whyStored(prompt)
    const { similarity_threshold: least_similarity, decide } = this.#context.options
    const bar = decide === 'full' && { bar: this.#context.bar(prompt.partition) }
    return { ...why, facts: { ...facts, ...why.facts, least_similarity, ...bar } }
  }

  async #whyStored(prompt: CacheablePrompt): Promise<Why> {
    const { entries, shared } = this.#context
    const { partition, canonical, comparable } = prompt
    const same = entries.peek(partition, canonical) ?? (await shared?.peek({ partition, canonical }))
    const size = entries.partition(partition)?.size ?? 0
    const found = comparable && size > 0 ? await this.#candidates(prompt) : []
    const facts = { ...(same && { same_canonical: same.text }), comparable_entries: size }
    const why = { facts, ...(typeof found !== 'string' && { candidates: found }) }
    if (same) return { hit: true, because: 'a prompt with the same canonical key is stored', ...why }
    if (!comparable) return { hit: false, because: `its canonical key is new, and ${INCOMPARABLE}`, ...why }
    const before = this.#matchedBefore(prompt)
    if (before !== undefined)
      return {
        hit: true,
        because: 'it was found to match a stored prompt before',
        ...why,
        facts: { ...facts, matched: before },
      }
    if (typeof found === 'string') return { hit: false, because: WITHOUT[found], ...why }
    if (size === 0) return { hit: false, because: NOTHING_STORED, ...why }
    return { ...this.#decision(prompt, found), ...why }
  }

  async #whyPair(prompt: CacheablePrompt, { prompt: stored, canonical, refused }: Read): Promise<Why> {
    if (!stored)
      return {
        hit: false,
        because: `the other prompt is not stored: ${refused}`,
        facts: { other_canonical: canonical },
      }
    const found = await this.#candidates(prompt, stored)
    const facts = { other_canonical: canonical, other_comparable: stored.comparable }
    const why = { facts, ...(typeof found !== 'string' && { candidates: found }) }
    if (stored.canonical === prompt.canonical) return { hit: true, because: 'both have the same canonical key', ...why }
    for (const [which, { comparable }] of [
      ['first', prompt],
      ['other', stored],
    ] as const)
      if (!comparable)
        return { hit: false, because: `the keys differ, and of the ${which} prompt ${INCOMPARABLE}`, ...why }
    if (typeof found === 'string') return { hit: false, because: WITHOUT[found], ...why }
    return { ...this.#decision(prompt, found), ...why }
  }

  async #read(exchange: Exchange): Promise<Read> {
    const { judge, entries } = this.#context
    let refused = ''
    const prompt = await cacheablePromptOf(exchange, judge, reason => {
      refused = reason
    })
    // A document takes long to read.
    const turn = refused === 'long' ? undefined : exchange.prompt.dialect.lastTurn?.(exchange.prompt.body)
    const canonical = turn ? judge.read(turn.text).canonical : ''
    const parted = prompt && entries.areSeparated(prompt.canonical, prompt.canonical)
    return parted ? { canonical, refused: 'parted' } : { canonical, prompt, refused }
  }

  /** Text of the prompt that served this one by likeness, where it still would. */
  #matchedBefore({ partition, canonical }: CacheablePrompt): string | undefined {
    const { entries, knownMatches, bar } = this.#context
    const known = knownMatches.peek(partition, canonical)
    if (!known || known.probability < bar(partition) || entries.areSeparated(known.canonical, canonical))
      return undefined
    return entries.peek(partition, known.canonical)?.text
  }

  #decision({ partition }: CacheablePrompt, candidates: readonly WhyCandidate[]): Pick<Why, 'hit' | 'because'> {
    const { similarity_threshold: least, decide } = this.#context.options
    const hit = candidates.some(one => one.hit)
    return {
      hit,
      because: becauseOf(candidates, decide === 'full' ? { least, bar: this.#context.bar(partition) } : { least }),
    }
  }

  /** What is near in the prompt's partition, or `stored` alone, however near. Best first, each judged. */
  async #candidates(prompt: CacheablePrompt, stored?: CacheablePrompt): Promise<readonly WhyCandidate[] | NoResult> {
    const { entries, engine, embedder, clock, options } = this.#context
    const { text, partition, canonical } = prompt
    const number = entries.partition(partition)?.number
    if (number === undefined && !stored) return []
    const texts = [text, ...(stored ? [stored.text] : [])]
    const made = embedder.portable ? [] : await embedder.embed(texts).catch(() => undefined)
    if (!made) return 'failed'
    const vectors = made.map(encodeVector)
    const judged = options.decide === 'full'
    const found = await engine.lookup(
      {
        partition: number ?? 0,
        judging: judged ? 'all' : 'none',
        most: mostCandidates(text),
        least: options.similarity_threshold,
        bar: 1,
        now: clock.now(),
        excluded: [],
        text,
        vector: vectors[0],
        ...(stored && { against: { text: stored.text, vector: vectors[1] } }),
      },
      WAIT_MS,
    )
    if (typeof found === 'string') return found
    const near = found.flatMap(({ handle, ...verdict }) => {
      const entry = stored ?? entries.at(handle, partition)
      return entry ? [{ ...verdict, entry }] : []
    })
    const bar = this.#context.bar(partition)
    const comparable = prompt.comparable && stored?.comparable !== false
    return near.map(({ entry, similarity, probability, reason }): WhyCandidate => {
      const rule = entries.areSeparated(entry.canonical, canonical) ? 'separated' : reason
      const hit = comparable && !rule && similarity >= options.similarity_threshold && (!judged || probability >= bar)
      return { prompt: entry.text, hit, similarity, ...(judged && { probability }), ...(rule && { rule }) }
    })
  }
}

const factsOf = ({ canonical, prompt }: Read): Readonly<Record<string, string | boolean>> => ({
  ...(canonical !== '' && { canonical }),
  ...(prompt && { canonical_key: prompt.canonical, comparable: prompt.comparable }),
})
