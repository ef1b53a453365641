import { z } from 'zod'

/** The largest time that a request may ask an answer to be kept for; every cache has the option. */
export const maxTtlSecs = z
  .number()
  .int()
  .positive()
  .default(86_400)
  .describe('Largest number of seconds that a request may set with `x-service-cache-ttl`.')

/** Options of caches that find an answer by a key. */
export const exactCacheOptions = {
  store: z.string().describe('Name of the store that holds the answers.'),
  mode: z
    .enum(['exact', 'semantic', 'both'])
    .default('both')
    .describe('Which caches are on. With `semantic` this layer is off.'),
  ttl_secs: z.number().int().positive().default(300).describe('Seconds for which an answer is fresh.'),
  max_ttl_secs: maxTtlSecs,
  stale_secs: z
    .number()
    .int()
    .nonnegative()
    .default(86_400)
    .describe('Further seconds in which an answer may still be served when the cloud fails.'),
}
