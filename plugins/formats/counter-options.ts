import { z } from 'zod'

/** The options of every layer that counts calls: how they are priced and reserved, and where the counters are kept. */
export const counterOptions = {
  vendors: z.record(z.string(), z.string()).default({}).describe('The vendor of each provider, by instance name.'),
  reserve: z
    .enum(['max', 'typical'])
    .default('max')
    .describe(
      "What a call reserves for its answer: the client's cap (`max`), or no more than an answer usually has (`typical`).",
    ),
  pricing: z
    .record(z.string(), z.record(z.string(), z.number().min(0).optional()))
    .default({})
    .describe('Prices that differ from the built-in list, by instance or vendor, in USD for a million tokens.'),
  folder: z.string().min(1).optional().describe('Where counters are kept over a restart. Without it they are not.'),
  shared_store: z
    .string()
    .optional()
    .describe('Name of a store that several gateways share: it counts for all of them.'),
}
