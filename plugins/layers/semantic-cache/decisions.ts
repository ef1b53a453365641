import type { WholeAnswer } from 'deflector'
import QuickLRU from 'quick-lru'
import type { CacheablePrompt } from './cacheable-prompt.ts'
import type { Context } from './context.ts'
import { ShadowChecks } from './shadow.ts'
import type { Judged } from './similar.ts'

/** A hit that is not served: the provider is asked anyway, to compare the answers. */
export interface Unserved {
  readonly answer: WholeAnswer
  readonly probability: number
}

/** Least number of matches remembered. */
const REMEMBERED = 10_000

/** What earlier decisions are good for. */
interface Found {
  /**
   * Hits, by partition and canonical key of the question. It has no entry of its own, and its next form (in capitals, with
   * a `please`) may lie a little too far from the entry that served it.
   */
  readonly matches: QuickLRU<string, Pick<Judged, 'canonical' | 'similarity' | 'probability'>>
  readonly checks: ShadowChecks
}

/**
 * The bar of a hit, and what is remembered of earlier decisions. It outlives a reload, but not a change of what decides:
 * another judge, threshold or way to decide may find otherwise, and begins with nothing.
 */
export class Decisions {
  readonly #context: Context
  #kept: Found | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Asked for when the models are started: before, they have no fingerprint. */
  get #found(): Found {
    if (this.#kept) return this.#kept
    const { host, options, fingerprint } = this.#context
    const { decide, similarity_threshold, max_error } = options
    const id = `semantic-cache:${host.name}:${JSON.stringify([fingerprint(), decide, similarity_threshold])}`
    this.#kept = {
      matches: host.keep(`${id}:matches`, () => new QuickLRU({ maxSize: REMEMBERED })),
      // Bars belong to one error limit: another limit starts with new checks.
      checks: host.keep(`${id}:checks:${max_error}`, () => new ShadowChecks(max_error)),
    }
    return this.#kept
  }

  /** From now on another generation's end does not end what was found. */
  begin(): void {
    void this.#found
  }

  /** The least probability of a hit in a partition: with its entries grows the chance of a wrong one. */
  bar(partition: string): number {
    return this.#found.checks.bar(this.#baseBar(partition))
  }

  /** An earlier decision on the same canonical key, if it would still be the same. Marks nothing as used. */
  knownMatch({ partition, canonical }: CacheablePrompt): Judged | undefined {
    const { entries } = this.#context
    const match = this.#found.matches.peek(keyOf(partition, canonical))
    // The bar may have risen since.
    if (!match || match.probability < this.bar(partition)) return undefined
    if (entries.apart.has(match.canonical, canonical)) return undefined
    const entry = entries.peek(partition, match.canonical)
    return entry && { ...entry, ...match }
  }

  /** Remembers a hit; one by cosine alone was not judged. */
  remember({ partition, canonical: asked }: CacheablePrompt, { canonical, similarity, probability }: Judged): void {
    if (this.#context.options.decide === 'cosine') return
    this.#found.matches.set(keyOf(partition, asked), { canonical, similarity, probability })
  }

  forgetMatches(): void {
    this.#found.matches.clear()
  }

  /** Learns from the answer that came instead whether a hit would have been right. */
  check({ partition }: CacheablePrompt, { answer, probability }: Unserved, fresh: WholeAnswer): void {
    const { host, judge } = this.#context
    const before = this.bar(partition)
    const agrees = judge.agree(textOf(answer), textOf(fresh))
    this.#found.checks.record(this.#baseBar(partition), probability, agrees)
    const bar = this.bar(partition)
    if (bar > before) host.log.info('shadow checks made the semantic cache stricter', { bar })
  }

  #baseBar(partition: string): number {
    const { entries, judge, options } = this.#context
    return judge.bar(entries.partition(partition)?.size ?? 0, options.max_false_requests)
  }
}

const keyOf = (partition: string, asked: string): string => `${partition}:${asked}`

const textOf = ({ completion }: WholeAnswer): string =>
  completion.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
