import { z } from 'zod'
import { ORDERS } from './order.ts'

const rate = z.number().min(0).optional()
const price = z.strictObject({
  input_cost_per_million_usd: rate,
  output_cost_per_million_usd: rate,
  cache_read_cost_per_million_usd: rate,
  cache_write_cost_per_million_usd: rate,
})

const strategy = z.enum(['round_robin', 'priority'])

/** What an operator may set of the cloud layer. */
export const options = z.strictObject({
  chain: z
    .array(z.string())
    .default([])
    .describe('Instance names of the providers, in order: the first is the primary, the others are its fallbacks.'),
  order: z
    .enum(ORDERS)
    .default('listed')
    .describe(
      'Which provider is asked first: as listed, by chance and `weights`, the one that answers best of late, or the cheapest. What a request chose itself stays first.',
    ),
  weights: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('Share of each provider in the order `weighted`; 1 for one that is not named.'),
  vendors: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Vendor of each provider, whose prices count in the order `price`; its own name for one that is not named.',
    ),
  prices: z
    .record(z.string(), price)
    .default({})
    .describe('Prices by instance or vendor, in place of those of the built-in list.'),
  hedge_after_ms: z
    .number()
    .nonnegative()
    .default(0)
    .describe(
      'Milliseconds after which a second provider is asked as well: of silence of a stream, or without a whole answer. 0 is never.',
    ),
  hedge_budget: z.number().min(0).max(1).default(0.05).describe('Largest share of requests for which that happens.'),
  health_check_secs: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Seconds between two looks at the list of models of each provider; 0 is never.'),
  store: z
    .string()
    .optional()
    .describe(
      'Name of the store that remembers which provider holds what state (threads, stored responses, files), and whose it is. Without it, references to state go to the first provider.',
    ),
  state_ttl_secs: z
    .number()
    .int()
    .positive()
    .default(2_592_000)
    .describe('Seconds for which that is remembered; vendors keep most state for 30 days.'),
  work_folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of what goes on at vendors, over a restart, where the store is not shared by several gateways. Without it the store has it.',
    ),
  offline: z
    .boolean()
    .default(false)
    .describe('Never call a provider. A request that no other layer answers gets status 503.'),
  timeout_secs: z
    .number()
    .positive()
    .default(120)
    .describe('Time limit in seconds from the first attempt to the first byte, over all providers.'),
  first_event_secs: z
    .number()
    .positive()
    .default(30)
    .describe(
      'Seconds that a stream may be silent before its first content; then the next provider is asked, if one is ready.',
    ),
  whole_answer_secs: z
    .number()
    .positive()
    .default(80)
    .describe('Seconds that an answer which comes whole may take; then the next provider is asked, if one is ready.'),
  max_attempts: z.number().int().positive().default(3).describe('Most attempts at each provider.'),
  retry_base_ms: z
    .number()
    .positive()
    .default(250)
    .describe('Longest first wait between two attempts, in milliseconds; the limit doubles with every attempt.'),
  retry_cap_ms: z
    .number()
    .positive()
    .default(8000)
    .describe('Longest wait between two attempts when the vendor names none, in milliseconds.'),
  retry_patience_secs: z
    .number()
    .nonnegative()
    .default(3)
    .describe('Longest time in seconds that a request waits in all because a vendor asks for it.'),
  circuit_failures: z
    .int()
    .nonnegative()
    .default(5)
    .describe('Failures of a provider in a row after which the others are asked before it; 0 turns this off.'),
  stream_resume: z
    .enum(['splice', 'prefill', 'off'])
    .default('splice')
    .describe(
      'What happens to a stream that breaks off: `splice` asks again and goes on where the new answer begins with what was sent, `prefill` has a vendor continue what was sent if it documents that, `off` ends it.',
    ),
  stream_hold: z
    .boolean()
    .default(false)
    .describe('Hold a stream back until it is whole, so that one that breaks off is made up for like any failure.'),
  key_rotation_strategy: strategy
    .default('round_robin')
    .describe(
      'How the next key is chosen: each in turn, or the key with the lowest priority number that is not cooling down.',
    ),
  key_rotation_strategies: z
    .record(z.string(), strategy)
    .default({})
    .describe('The same for single providers, by name.'),
  key_cooldown_secs: z
    .number()
    .nonnegative()
    .default(60)
    .describe('Seconds that a rate-limited key cools down when the vendor names no time.'),
  key_cooldown_max_secs: z
    .number()
    .nonnegative()
    .default(300)
    .describe('Longest cooldown of a key in seconds, whatever the vendor asks for.'),
})
