import type { BodyEdit, Exchange, Instruction, Prompt } from 'deflector'
import type { TextChange } from 'deflector/facets/context-preview'
import { isInstructional } from './gate.ts'
import type { Asked, NetEffect } from './net-effect.ts'
import type { OptimiserOptions } from './options.ts'
import { repeats } from './repeated-results.ts'
import { RewrittenPrompt } from './rewritten-prompt.ts'
import type { Session, Sessions } from './sessions.ts'
import { type Candidate, type Shortened, Shortener } from './shortener.ts'
import { digestOf } from './text-digest.ts'

/** What became of one request. */
export interface Optimised {
  /** For the trail: that something changed, or why nothing did. */
  readonly outcome: string
  /** The stages that changed something, or why none did. */
  readonly strategy: string
  readonly rewritten?: Prompt
  readonly savedBytes: number
  /** The vendor is told what to cache. */
  readonly isMarked: boolean
  readonly changes: readonly TextChange[]
  /** For the count of what the vendor found in its cache. */
  readonly asked?: Asked
}

/** Texts of a kind that are looked at, from the first one on; a session can remember all that change. */
const MOST_TEXTS = 500

/** What counts of an exchange. */
export type Request = Pick<Exchange, 'prompt' | 'session' | 'principal' | 'namespace'>

/** Decides for each request which of its texts may change, and writes the changed ones into its bytes. */
export class Optimiser {
  readonly #shortener: Shortener

  constructor(
    readonly options: OptimiserOptions,
    readonly sessions: Sessions,
    readonly effect: NetEffect,
  ) {
    this.#shortener = new Shortener(options)
  }

  async optimise(exchange: Request): Promise<Optimised> {
    const { prompt } = exchange
    const { instructions, cacheMarks } = prompt.format
    const texts = instructions?.(prompt.body).slice(0, MOST_TEXTS) ?? []
    const work = await this.#shortened(exchange, texts)
    const shorter = work.edits.length > 0 ? await RewrittenPrompt.of(prompt, work.edits) : prompt
    const savedBytes = prompt.bytes.length - shorter.bytes.length
    // Last, because a mark may stand at the end of a text that has changed.
    const marks = (this.options.breakpoints && work.session?.isOn !== false && cacheMarks?.(shorter.body)) || []
    const rewritten = marks.length > 0 ? await RewrittenPrompt.of(shorter, marks) : shorter
    const stages = [...work.stages, ...(marks.length > 0 ? ['breakpoints'] : [])]
    const { session, head } = work
    return {
      outcome: work.edits.length > 0 ? 'shortened' : marks.length > 0 ? 'marked' : work.outcome,
      strategy: stages.length > 0 ? stages.join('+') : work.outcome,
      savedBytes,
      isMarked: marks.length > 0,
      changes: work.changes,
      ...(rewritten !== prompt && { rewritten }),
      ...(session && { asked: { session, head, savedBytes } }),
    }
  }

  async #shortened(exchange: Request, texts: readonly Instruction[]): Promise<Work> {
    const { prompt } = exchange
    const results = this.options.tool_results ? prompt.format.toolResults?.(prompt.body) : undefined
    const repeated = repeats(results?.slice(0, MOST_TEXTS) ?? [])
    if (!texts.some(isInstructional) && repeated.length === 0) return nothing('no_instructions')
    const named = nameEach(texts)
    const head = named[0]?.digest ?? ''
    const first = prompt.format.opening?.(prompt.body) ?? ''
    const session = this.sessions.of(exchange, { head, first }, () => this.effect.pays)
    if (!session.isOn) return { ...nothing('left_alone'), session, head }
    const work = {
      edits: [] as BodyEdit[],
      changes: [] as TextChange[],
      stages: new Set<string>(),
      outcome: 'unchanged',
      session,
      head,
    }
    const candidates = named.map(text => ({ ...text, mayChange: mayChange(session, text.name, text.cached) }))
    for (const [at, result] of (await this.#results(session, candidates)).entries()) {
      const text = named[at]
      if (!result || !text) continue
      work.edits.push({ path: text.path, value: result.text })
      work.changes.push({ path: text.path, before: text.text, after: result.text, stages: result.stages })
      for (const stage of result.stages) work.stages.add(stage)
      this.#noteChanged(session, text.name)
    }
    for (const { name, cached, pointer, text, path } of repeated) {
      if (!mayChange(session, name, cached)) continue
      work.edits.push({ path, value: pointer })
      work.changes.push({ path, before: text, after: pointer, stages: ['tool_results'] })
      work.stages.add('tool_results')
      this.#noteChanged(session, name)
    }
    if (work.edits.length === 0 && candidates.some(({ mayChange }) => !mayChange)) work.outcome = 'cached'
    for (const { name, cached } of [...named, ...repeated])
      if (cached && !session.named?.changed.has(name)) this.sessions.note(session.left, name)
    return work
  }

  #noteChanged({ named }: Session, name: string): void {
    if (named) this.sessions.note(named.changed, name)
  }

  async #results(session: Session, candidates: readonly Candidate[]): Promise<readonly (Shortened | undefined)[]> {
    const { dedup, dedup_scope: scope } = this.options
    const { named } = session
    if (!dedup || scope === 'request' || !named) return this.#shortener.shorten(candidates)
    const { results, said } = await this.#shortener.shortenOn(candidates, named.said)
    this.sessions.noteSaid(named, said)
    return results
  }
}

interface Work {
  readonly edits: readonly BodyEdit[]
  readonly changes: readonly TextChange[]
  readonly stages: ReadonlySet<string>
  /** Why there are no edits. */
  readonly outcome: string
  readonly session?: Session
  /** Of the first instructions, as the client sent them. */
  readonly head: string
}

const nothing = (outcome: string): Work => ({ edits: [], changes: [], stages: new Set(), outcome, head: '' })

/**
 * May this text become another one? Not where the client has its vendor cache it, or had before: only what a named session
 * sent shortened before the client marked it is sent so again.
 */
const mayChange = ({ named, left }: Session, name: string, cached = false): boolean =>
  named?.changed.has(name) || (!cached && !left.has(name))

interface Named extends Instruction {
  readonly digest: string
  readonly name: string
}

/** Texts with the names that their session remembers them by: the same text twice is two texts. */
function nameEach(texts: readonly Instruction[]): readonly Named[] {
  const counts = new Map<string, number>()
  return texts.map(text => {
    const digest = digestOf(text.text)
    const count = (counts.get(digest) ?? 0) + 1
    counts.set(digest, count)
    return { ...text, digest, name: `${count} ${digest}` }
  })
}
