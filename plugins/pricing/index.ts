import { nameFor } from 'deflector/formats/vendor-names'
import { type FoundRow, lookUp } from './look-up.ts'
import type { Price, PriceOverride, Rates } from './price.ts'
import { type PriceRow, priceTable } from './price-table.ts'
import { pricedVendor } from './vendors.ts'

export { circumstancesOf, isMarkedForCache } from './circumstances.ts'
export { type Buckets, bucketsOf, type Circumstances, costOf } from './cost.ts'
export type { Price, PriceOverride, Rates } from './price.ts'

/** Whose model is asked for. */
export interface PriceQuery {
  /** Instance name of the provider. */
  readonly instance: string
  /** The name after its `use:`; default: the instance name. */
  readonly vendor?: string | undefined
  readonly model: string | undefined
  /** Top-level fields of the request body, of which some choose a faster and dearer mode (`service_tier`, `speed`). */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** The class of service that the vendor says it used, a word of `Usage.tier`: it may be another than was asked for. */
  readonly tier?: string | undefined
}

export interface Pricing {
  /** The price of a model, or `undefined` where neither the operator nor the built-in list has one. */
  priceOf(query: PriceQuery): Price | undefined
  /** The date of the built-in list, as YYYY-MM-DD. */
  readonly listDate: string
}

/**
 * Prices of models, in USD for a million tokens: the operator's (`usage_pricing`, by instance name, then by a name of the
 * vendor) over those of the built-in list. A row of the list is found by the exact name, without its date, without the
 * vendor's name, then under the model's maker.
 */
export function pricing(overrides: Readonly<Record<string, PriceOverride>> = {}): Pricing {
  const given = Object.keys(overrides)
  const found = new Map<string, FoundRow | undefined>()
  const listed = (vendor: string, model: string): FoundRow | undefined => {
    const key = `${vendor} ${model}`
    if (found.has(key)) return found.get(key)
    if (found.size >= MOST_MODELS) found.clear()
    const row = lookUp(vendor, model)
    found.set(key, row)
    return row
  }
  return {
    listDate: priceTable().date,
    priceOf({ instance, vendor = instance, model, body = {}, tier }) {
      const base = pricedVendor(vendor)
      const configured = nameFor(instance, vendor, given) ?? nameFor(base, base, given)
      // `auto` leaves the class to the vendor, and names none.
      const asked = tier === undefined || tier === 'auto' ? body : { ...body, service_tier: tier }
      const row = model === undefined ? undefined : listed(base, model)
      return overridden(configured === undefined ? {} : (overrides[configured] ?? {}), row && priceFrom(row, asked))
    },
  }
}

/** Clients may ask for models of any name. */
const MOST_MODELS = 10_000

/** The operator's rates have no tiers, and the list's cache rates do not fit them. */
function overridden(override: PriceOverride, listed: Price | undefined): Price | undefined {
  const {
    input_cost_per_million_usd: givenInput,
    output_cost_per_million_usd: givenOutput,
    cache_read_cost_per_million_usd: cacheRead,
    cache_write_cost_per_million_usd: cacheWrite,
  } = override
  if ([givenInput, givenOutput, cacheRead, cacheWrite].every(rate => rate === undefined)) return listed
  const input = givenInput ?? listed?.input
  const output = givenOutput ?? listed?.output
  if (input === undefined || output === undefined) return undefined
  const kept = givenInput === undefined ? listed : undefined
  return {
    ...ratesOf({
      input,
      output,
      cache_read: cacheRead ?? kept?.cacheRead,
      cache_write: cacheWrite ?? kept?.cacheWrite,
    }),
    source: 'configured',
  }
}

function priceFrom({ row, borrowed, factor }: FoundRow, body: NonNullable<PriceQuery['body']>): Price {
  const mode = row.modes?.find(each => Object.entries(each.body).every(([field, word]) => body[field] === word))
  const tiers = mode
    ? undefined
    : row.tiers?.map(tier => ({ ...ratesOf(tier, factor), aboveInputTokens: tier.above_input_tokens }))
  return {
    ...ratesOf(mode ?? row, factor),
    ...(tiers && { tiers }),
    source: borrowed || row.uncertain ? 'assumed' : 'listed',
    asOf: row.as_of ?? priceTable().date,
  }
}

type RowRates = { readonly [Rate in 'input' | 'output']: number } & {
  readonly [Rate in 'cache_read' | 'cache_write' | 'reasoning']?: PriceRow[Rate] | undefined
}

const ratesOf = ({ input, output, cache_read, cache_write, reasoning }: RowRates, factor = 1): Rates => ({
  input: input * factor,
  output: output * factor,
  ...(cache_read !== undefined && { cacheRead: cache_read * factor }),
  ...(cache_write !== undefined && { cacheWrite: cache_write * factor }),
  ...(reasoning !== undefined && { reasoning: reasoning * factor }),
})
