import type { Host, Judge, WholeAnswer } from 'deflector'
import type { CacheablePrompt } from './cacheable-prompt.ts'
import type { Entries } from './entries.ts'
import { KnownMatches } from './known-matches.ts'
import { ShadowChecks } from './shadow.ts'
import type { Judged } from './similar.ts'

interface DecisionsContext {
  readonly host: Pick<Host, 'keep' | 'name' | 'log'>
  readonly entries: Entries
  readonly judge: Judge
  readonly options: {
    readonly decide: 'full' | 'cosine'
    readonly similarity_threshold: number
    readonly max_false_requests: number
    readonly max_error: number
  }
  /** Of the models, once they are started. */
  fingerprint(): string
}

/** A hit that is not served: the provider is asked anyway, to compare the answers. */
export interface Unserved {
  readonly answer: WholeAnswer
  readonly probability: number
}

/** What earlier decisions are good for. */
interface Found {
  readonly knownMatches: KnownMatches
  readonly checks: ShadowChecks
}

/**
 * The bar of a hit, and what is remembered of earlier decisions. It outlives a reload, but not a change of what decides:
 * another judge, threshold or way to decide may find otherwise, and begins with nothing.
 */
export class Decisions {
  readonly #context: DecisionsContext
  #found: Found | undefined

  constructor(context: DecisionsContext) {
    this.#context = context
  }

  /** Asked for when the models are started: before, they have no fingerprint. */
  get found(): Found {
    if (this.#found) return this.#found
    const { host, options, fingerprint } = this.#context
    const { decide, similarity_threshold, max_error } = options
    const id = `semantic-cache:${host.name}:${JSON.stringify([fingerprint(), decide, similarity_threshold])}`
    this.#found = {
      knownMatches: host.keep(`${id}:matches`, () => new KnownMatches()),
      // Bars belong to one error limit: another limit starts with new checks.
      checks: host.keep(`${id}:checks:${max_error}`, () => new ShadowChecks(max_error)),
    }
    return this.#found
  }

  /** The least probability of a hit in a partition: with its entries grows the chance of a wrong one. */
  bar(partition: string): number {
    return this.found.checks.bar(this.#baseBar(partition))
  }

  /** An earlier decision on the same canonical key, if it would still be the same. */
  knownMatch({ partition, canonical }: CacheablePrompt): Judged | undefined {
    const { entries } = this.#context
    const match = this.found.knownMatches.get(partition, canonical)
    if (!match || match.probability < this.bar(partition)) return undefined
    if (entries.areSeparated(match.canonical, canonical)) return undefined
    const entry = entries.canonical(partition, match.canonical)
    return entry && { ...entry, similarity: match.similarity, probability: match.probability }
  }

  /** Remembers a hit; one by cosine alone was not judged. */
  remember({ partition, canonical: asked }: CacheablePrompt, { canonical, similarity, probability }: Judged): void {
    if (this.#context.options.decide === 'cosine') return
    this.found.knownMatches.set(partition, asked, { canonical, similarity, probability })
  }

  /** Learns from the answer that came instead whether a hit would have been right. */
  check({ partition }: CacheablePrompt, { answer, probability }: Unserved, fresh: WholeAnswer): void {
    const { host, judge } = this.#context
    const before = this.bar(partition)
    const agrees = judge.agree(textOf(answer), textOf(fresh))
    this.found.checks.record(this.#baseBar(partition), probability, agrees)
    const bar = this.bar(partition)
    if (bar > before) host.log.info('shadow checks made the semantic cache stricter', { bar })
  }

  #baseBar(partition: string): number {
    const { entries, judge, options } = this.#context
    return judge.bar(entries.partition(partition)?.size ?? 0, options.max_false_requests)
  }
}

const textOf = ({ completion }: WholeAnswer): string =>
  completion.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
