import type { Usage } from 'deflector'
import type { Price, Rates } from './price.ts'

const MILLION = 1_000_000
/** A cache entry that lives for an hour costs twice the plain input, where five minutes cost 1.25 times. */
const LONG_CACHE_WRITE = 2

/** What of a request decides its rate besides the price. */
export interface Circumstances {
  /** All tokens of the prompt, cached ones included, which choose the tier. Default: those of the usage. */
  readonly promptTokens?: number
  /** Do its cache writes live for an hour rather than five minutes? Asked only where the usage does not tell. */
  readonly longCache?: boolean
}

/**
 * What a call costs, in USD; `undefined` for an unknown price. Cached tokens without a rate of their own cost as much as
 * others, reasoning as much as output. Above a tier's bound the whole request has the tier's rates.
 */
export function costOf(usage: Usage, price: Price, circumstances?: Circumstances): number
export function costOf(usage: Usage, price: Price | undefined, circumstances?: Circumstances): number | undefined
export function costOf(
  usage: Usage,
  price: Price | undefined,
  { promptTokens = usage.largestPrompt ?? usage.input, longCache = false }: Circumstances = {},
): number | undefined {
  if (!price) return undefined
  const rates = ratesAt(price, promptTokens)
  const { fresh, read, written, output, reasoning } = bucketsOf(usage)
  const long = Math.min(written, usage.cacheWriteLong ?? (longCache ? written : 0))
  const write = rates.cacheWrite ?? rates.input
  return (
    (fresh * rates.input +
      read * (rates.cacheRead ?? rates.input) +
      (written - long) * write +
      long * (rates.cacheWrite === undefined ? write : LONG_CACHE_WRITE * rates.input) +
      (output - reasoning) * rates.output +
      reasoning * (rates.reasoning ?? rates.output)) /
    MILLION
  )
}

/** The rates of the highest tier that the prompt is above. */
function ratesAt({ tiers = [], ...base }: Price, promptTokens: number): Rates {
  let rates: Rates = base
  let bound = 0
  for (const tier of tiers)
    if (promptTokens > tier.aboveInputTokens && tier.aboveInputTokens > bound) {
      rates = tier
      bound = tier.aboveInputTokens
    }
  return rates
}

/** Tokens of a call in disjoint parts; `fresh + read + written + output` is the total, and `reasoning` is part of `output`. */
export interface Buckets {
  readonly fresh: number
  readonly read: number
  readonly written: number
  readonly output: number
  readonly reasoning: number
}

/** The parts of a usage. A vendor that counts more cached than sent does not lead below 0. */
export function bucketsOf({ input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: Usage): Buckets {
  const read = Math.min(cacheRead, input)
  const written = Math.min(cacheWrite, input - read)
  return { fresh: input - read - written, read, written, output, reasoning: Math.min(reasoning, output) }
}
