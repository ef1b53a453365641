import { readFileSync } from 'node:fs'
import { z } from 'zod'

const rate = z.number().nonnegative()

const rates = {
  input: rate,
  output: rate,
  cache_read: rate.optional(),
  cache_write: rate.optional(),
  reasoning: rate.optional(),
}

const row = z.strictObject({
  ...rates,
  /** Above so many prompt tokens, cached ones included, the whole request has these rates. */
  tiers: z.array(z.strictObject({ above_input_tokens: z.int().positive(), ...rates })).optional(),
  /** Other speeds, by the fields of the request body that choose them. */
  modes: z.array(z.strictObject({ body: z.record(z.string(), z.string()), ...rates })).optional(),
  as_of: z.string().optional(),
  /** Read once, from a later copy of the source. */
  uncertain: z.literal(true).optional(),
})

const table = z.strictObject({
  unit: z.literal('USD per 1,000,000 tokens'),
  date: z.iso.date(),
  source: z.string(),
  license: z.string(),
  changes: z.string(),
  prices: z.record(z.string(), z.record(z.string(), row)),
})

/** One price list entry: USD for a million tokens. A rate that is absent is unknown, never 0. */
export type PriceRow = z.infer<typeof row>

/** The built-in price list: vendor, then model, to a row. `date` is when it was read. */
export type PriceTable = z.infer<typeof table>

let built: PriceTable | undefined

/** The price list that comes with the package, read and checked at the first call (about 3 ms). */
export function priceTable(): PriceTable {
  built ??= table.parse(JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8')))
  return built
}
