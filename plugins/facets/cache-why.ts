import { type Exchange, facet } from 'deflector'

/** What a cache would do with a request, and why. */
export interface Why {
  /** Would it answer? */
  readonly hit: boolean
  /** A clause for the operator, such as `no answer to this very request is stored`. */
  readonly because: string
  /** Short facts by name, in snake_case. Prompt text is that of the caller's own cache scope only. */
  readonly facts?: Readonly<Record<string, string | number | boolean>>
  /** Stored prompts that it compared, best first. */
  readonly candidates?: readonly WhyCandidate[]
}

/** A stored prompt, and what the cache thinks of its likeness to the asked one. */
export interface WhyCandidate {
  readonly prompt: string
  readonly hit: boolean
  /** Cosine. */
  readonly similarity: number
  /** 0 to 1, that both have the same answer; absent where nothing judges. */
  readonly probability?: number
  /** Id of the rule that refuses it. */
  readonly rule?: string
}

/**
 * Explains what a cache would do with an admitted request. With `other`, explains what it would do if the answer to that
 * request were the only one stored. Stores, removes and counts nothing, and calls no provider. Offered by layers that keep
 * answers, also while they are off.
 */
export type ExplainCache = (exchange: Exchange, other?: Exchange) => Promise<Why>

export const cacheWhy = facet<ExplainCache>('cache-why')
