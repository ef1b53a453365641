import { z } from 'zod'

const count = z.number()
const usd = z.number().nullable()

/** Tokens in disjoint parts, and `reasoning`, which is part of `completion`. */
const usage = z.object({
  /** Sent, and neither read from nor written to the vendor's cache. */
  prompt_tokens: count,
  completion_tokens: count,
  cached_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  /** The first four together: what the vendor counts as total. */
  total_tokens: count,
  /** The vendor did not say: the tokens were guessed from what was sent and received. */
  estimated: z.boolean(),
})

const attempt = z.object({
  provider: z.string(),
  model: z.string().nullable(),
  /** Label of the provider's key. */
  key: z.string().nullable(),
  usage,
  /** `null`: the price is unknown. */
  cost: usd,
  /** The vendor's; `null` where it gave none. */
  status: z.number().nullable(),
})

/** Rates in USD for a million tokens, as they were when the request was booked. */
const price = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  reasoning: z.number().optional(),
  source: z.enum(['configured', 'listed', 'assumed']),
  as_of: z.string().optional(),
})

const event = z.object({
  timestamp: z.string(),
  request_id: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  operation: z.string(),
  surface: z.string(),
  client: z.string(),
  tool: z.string(),
  principal: z.string().nullable(),
  tags: z.array(z.string()),
  final_layer: z.string(),
  deflected: z.boolean(),
  status: z.number(),
  ...usage.shape,
  /** Of all attempts; `null` where the price of one is unknown. */
  estimated_cost_usd: usd,
  /** What a deflected request would have cost; `null` where that is unknown, 0 for others. */
  saved_cost_usd: usd,
  /** What it would have used. */
  saved_tokens: count,
  price: price.nullable(),
  attempts: z.array(attempt),
  /** The attempts ended after their request was booked: this line has their tokens, and is no further request. */
  late: z.literal(true).optional(),
})

/** One line of the ledger: one request, with the vendor calls it took. */
export type UsageEvent = z.infer<typeof event>
export type UsageAttempt = z.infer<typeof attempt>
export type TokenParts = z.infer<typeof usage>

const schema = z.compile(event)

/** A line of the ledger, or `undefined` for what is none. */
export function readEvent(line: string): UsageEvent | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
