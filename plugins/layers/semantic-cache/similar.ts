import { type Exchange, inTime } from 'deflector'
import type { CacheablePrompt } from './cacheable-prompt.ts'
import type { Context } from './context.ts'
import type { NoResult } from './engine/lookups.ts'
import type { Considered } from './engine/messages.ts'
import type { NearEntry } from './entries.ts'
import { encodeVector } from './vector-text.ts'

/** Most candidates; fewer (`FEW`) for prompts over `LONG` characters, each of which takes longer. */
const CANDIDATES = 8
const LONG = 300
const FEW = 3

/** More than any probability. A bar may be infinite, which JSON is not. */
const UNREACHABLE = 2

export const mostCandidates = (text: string): number => (text.length > LONG ? FEW : CANDIDATES)

/** A near entry and the judge's verdict on it. */
export interface Judged extends NearEntry {
  /** 0 to 1. */
  readonly probability: number
  /** Why it is no hit: a rule's id, or `improbable`. Absent for a hit. */
  readonly reason?: string
}

export interface Similar {
  readonly hit?: Judged | undefined
  /** Best first. */
  readonly refused: readonly Judged[]
  /** Why nothing was found out: what the engine says, or the embedder gave no vector. */
  readonly without?: NoResult | 'no_vector' | undefined
  /** Of the prompt, where the engine does not make its own. */
  readonly vector?: Float32Array | undefined
}

const NOTHING: Similar = { refused: [] }

/**
 * Finds the entries whose answers serve a prompt in other words; `bar` is the least probability of a hit. The engine does
 * it all, but for vectors it cannot make.
 */
export async function findSimilar(
  context: Context,
  exchange: Exchange,
  { text, partition, canonical }: CacheablePrompt,
  bar: number,
): Promise<Similar> {
  const { entries, engine, host, options } = context
  const number = entries.partition(partition)?.number
  if (number === undefined) return NOTHING
  const vector = await vectorOf(context, exchange, text)
  if (vector === 'none') return { ...NOTHING, without: 'no_vector' }
  const judged = options.decide === 'full'
  const found = await engine.lookup(
    {
      partition: number,
      judging: judged ? 'first' : 'none',
      most: mostCandidates(text),
      least: options.similarity_threshold,
      bar: Math.min(bar, UNREACHABLE),
      now: host.clock.now(),
      excluded: entries.separated(partition, canonical),
      text,
      vector: vector && encodeVector(vector),
    },
    options.wait_ms,
  )
  if (typeof found === 'string') return { ...NOTHING, without: found, vector }
  // What was removed or separated in the meantime is no candidate.
  const near = found.flatMap(({ handle, ...verdict }) => {
    const entry = entries.at(handle, partition)
    return entry && !entries.apart.has(entry.canonical, canonical) ? [{ ...entry, ...verdict }] : []
  })
  return { ...decided(near, judged ? bar : 0), vector }
}

/**
 * The vector that goes with a text: one that another layer had made, `undefined` where the engine makes its own, `none`
 * where the embedder failed.
 */
export async function vectorOf(
  context: Context,
  exchange: Exchange,
  text: string,
): Promise<Float32Array | undefined | 'none'> {
  const known = context.embedder.knownFor(exchange, text)
  if (known || context.embedder.portable) return known
  const { embedder, host, options, dependencies } = context
  const { cancellation } = exchange
  const limit = { ms: options.embed_wait_ms, clock: host.clock, what: 'no vector', parent: cancellation }
  const embed = () => inTime(limit, work => embedder.embedFor(exchange, text, work))
  return (await dependencies.run('model', embed, cancellation)) ?? 'none'
}

function decided(near: readonly (NearEntry & Omit<Considered, 'handle'>)[], bar: number): Similar {
  const refused: Judged[] = []
  for (const { reason, ...candidate } of near) {
    if (!reason && candidate.probability >= bar) return { hit: candidate, refused }
    refused.push({ ...candidate, reason: reason || 'improbable' })
  }
  return { refused }
}
