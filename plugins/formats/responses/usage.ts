import { isObject, type JsonObject, type Usage } from 'deflector'
import { count, usageOf, wordIn } from '../usage.ts'

/** `undefined` when the vendor counted nothing that we can use. `tier` stands beside it in an answer. */
export function decodeUsage(usage: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const input = count(usage.input_tokens)
  if (input === undefined) return undefined
  const sent = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const made = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  return usageOf({
    input,
    output: count(usage.output_tokens) ?? 0,
    cacheRead: count(sent.cached_tokens),
    cacheWrite: count(sent.cache_write_tokens),
    reasoning: count(made.reasoning_tokens),
    tier: wordIn(tier),
  })
}

/** Both detail objects are always there: a client that finds one without its number refuses the whole answer. */
export function encodeUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead ?? 0,
      ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  }
}
