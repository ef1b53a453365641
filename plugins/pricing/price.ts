/** USD for a million tokens. An absent rate is that of plain input, or output for reasoning. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** The price of one model at one provider. */
export interface Price extends Rates {
  /** Above so many prompt tokens, cached ones included, the whole request has these rates. */
  readonly tiers?: readonly (Rates & { readonly aboveInputTokens: number })[]
  /**
   * `configured`: by the operator. `listed`: in the built-in list. `assumed`: the list has it for the model's maker only,
   * or from an uncertain reading.
   */
  readonly source: 'configured' | 'listed' | 'assumed'
  /** The date of the list it was read from; absent for a configured price. */
  readonly asOf?: string
}

/** Prices that the operator gives for one provider and all its models. */
export interface PriceOverride {
  readonly input_cost_per_million_usd?: number | undefined
  readonly output_cost_per_million_usd?: number | undefined
  readonly cache_read_cost_per_million_usd?: number | undefined
  readonly cache_write_cost_per_million_usd?: number | undefined
}
