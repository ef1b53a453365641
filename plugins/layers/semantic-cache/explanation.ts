import type { Exchange } from 'deflector'
import type { Why, WhyCandidate } from 'deflector/facets/cache-why'
import { type CacheablePrompt, type ReadRequest, readRequest } from './cacheable-prompt.ts'
import type { Context } from './context.ts'
import type { Decisions } from './decisions.ts'
import type { NoResult } from './engine/lookups.ts'
import { MOST_JUDGED } from './engine/messages.ts'
import type { SharedRecords } from './shared-records.ts'
import { mostCandidates } from './similar.ts'
import { encodeVector } from './vector-text.ts'
import {
  becauseOf,
  INCOMPARABLE,
  NO_BAR,
  NOT_REACHED,
  NOTHING_STORED,
  TOO_FAR,
  TOO_FAR_MEANS,
  WITHOUT,
} from './why-words.ts'

interface ExplanationContext extends Context {
  readonly decisions: Decisions
  readonly shared: SharedRecords | undefined
}

/** Milliseconds: an operator waits longer than a client. */
const WAIT_MS = 10_000

type Decision = Pick<Why, 'hit' | 'because'>

const yes = (because: string): Decision => ({ hit: true, because })
const no = (because: string): Decision => ({ hit: false, because })

/** What the layer would do with a prompt, and why. Changes neither entries, nor their order of use, nor counts. */
export class Explanation {
  readonly #context: ExplanationContext

  constructor(context: ExplanationContext) {
    this.#context = context
  }

  /** With `other`, as if the answer to that one were the only one stored. */
  async why(exchange: Exchange, other?: Exchange): Promise<Why> {
    const { decisions, options } = this.#context
    const read = await readRequest(exchange, this.#context)
    const { prompt, refused } = read
    const facts = factsOf(read)
    if (!prompt) return { ...no(`neither looked up nor stored: ${refused}`), facts }
    const why = other
      ? await this.#whyPair(prompt, await readRequest(other, this.#context))
      : await this.#whyStored(prompt)
    const bar = decisions.bar(prompt.partition)
    const judged = options.decide === 'full' && { bar: Number.isFinite(bar) ? bar : NO_BAR }
    return { ...why, facts: { ...facts, ...why.facts, least_similarity: options.similarity_threshold, ...judged } }
  }

  async #whyStored(prompt: CacheablePrompt): Promise<Why> {
    const { entries, decisions, shared } = this.#context
    const { partition, canonical, comparable } = prompt
    const same = entries.peek(partition, canonical) ?? (await shared?.peek({ partition, canonical }))
    const size = entries.partition(partition)?.size ?? 0
    const found = comparable && size > 0 ? await this.#candidates(prompt) : []
    const before = same || !comparable ? undefined : decisions.knownMatch(prompt)
    const decide = (): Decision => {
      if (same) return yes('a prompt with the same canonical key is stored')
      if (!comparable) return no(`its canonical key is new, and ${INCOMPARABLE}`)
      if (before) return yes('it was found to match a stored prompt before')
      return size === 0 ? no(NOTHING_STORED) : this.#decision(prompt, found)
    }
    const facts = {
      ...(same && { same_canonical: same.text }),
      comparable_entries: size,
      ...(before && { matched: before.text }),
      ...(typeof found !== 'string' && found.some(({ rule }) => rule === TOO_FAR) && { [TOO_FAR]: TOO_FAR_MEANS }),
    }
    return { ...decide(), facts, ...candidatesOf(found) }
  }

  async #whyPair(prompt: CacheablePrompt, { prompt: stored, canonical = '', refused }: ReadRequest): Promise<Why> {
    if (!stored) return { ...no(`the other prompt is not stored: ${refused}`), facts: { other_canonical: canonical } }
    const found = await this.#candidates(prompt, stored)
    const decide = (): Decision => {
      if (stored.canonical === prompt.canonical) return yes('both have the same canonical key')
      if (!prompt.comparable) return no(`the keys differ, and of the first prompt ${INCOMPARABLE}`)
      if (!stored.comparable) return no(`the keys differ, and of the other prompt ${INCOMPARABLE}`)
      return this.#decision(prompt, found)
    }
    const facts = { other_canonical: canonical, other_comparable: stored.comparable }
    const decided = decide()
    const reached = !decided.hit || stored.canonical === prompt.canonical || !(await this.#isTooFar(prompt, stored))
    const because = reached ? decided.because : decided.because + NOT_REACHED
    return { ...decided, because, facts, ...candidatesOf(found) }
  }

  /** Is the stored prompt one that a request would not get to, because of nearer ones? */
  async #isTooFar(prompt: CacheablePrompt, { partition, canonical }: CacheablePrompt): Promise<boolean> {
    const entry = prompt.partition === partition ? this.#context.entries.peek(partition, canonical) : undefined
    const found = entry ? await this.#candidates(prompt) : []
    return typeof found !== 'string' && found.some(one => one.prompt === entry?.text && one.rule === TOO_FAR)
  }

  #decision({ partition }: CacheablePrompt, found: readonly WhyCandidate[] | NoResult): Decision {
    if (typeof found === 'string') return no(WITHOUT[found])
    const { decisions, options } = this.#context
    const bar = options.decide === 'full' ? decisions.bar(partition) : undefined
    const because = becauseOf(found, options.similarity_threshold, bar)
    return { hit: found.some(one => one.hit), because }
  }

  /** What is near in the prompt's partition, or `stored` alone, however near. Best first, each judged. */
  async #candidates(prompt: CacheablePrompt, stored?: CacheablePrompt): Promise<readonly WhyCandidate[] | NoResult> {
    const { entries, engine, embedder, host, decisions, options } = this.#context
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
        now: host.clock.now(),
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
    const bar = decisions.bar(partition)
    const comparable = prompt.comparable && stored?.comparable !== false
    let asked = 0
    return near.map(({ entry, similarity, probability, reason }): WhyCandidate => {
      const apart = entries.apart.has(entry.canonical, canonical)
      // A request never gets that far down the list.
      const rule = apart ? 'separated' : (reason ?? (judged && ++asked > MOST_JUDGED ? TOO_FAR : undefined))
      const hit = comparable && !rule && similarity >= options.similarity_threshold && (!judged || probability >= bar)
      return { prompt: entry.text, hit, similarity, ...(judged && { probability }), ...(rule && { rule }) }
    })
  }
}

const candidatesOf = (found: readonly WhyCandidate[] | NoResult): Pick<Why, 'candidates'> =>
  typeof found === 'string' ? {} : { candidates: found }

const factsOf = ({ canonical, prompt }: ReadRequest): Readonly<Record<string, string | boolean>> => ({
  ...(canonical && { canonical }),
  ...(prompt && { canonical_key: prompt.canonical, comparable: prompt.comparable }),
})
