import { isObject, type JsonObject, type Usage } from 'deflector'
import { count, usageOf, wordIn } from '../usage.ts'

/** `undefined` when the vendor counted nothing that we can use. `tier` stands beside it in an answer. */
export function decodeUsage(usage: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const input = count(usage.prompt_tokens)
  const completion = count(usage.completion_tokens) ?? 0
  if (input === undefined) return undefined
  const sent = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const made = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  // Moonshot and DeepSeek put cache reads into fields of their own.
  const cacheRead = count(sent.cached_tokens) ?? count(usage.cached_tokens) ?? count(usage.prompt_cache_hit_tokens)
  const cacheWrite = count(sent.cache_write_tokens)
  const reasoning = count(made.reasoning_tokens)
  // xAI counts reasoning beside the completion instead of inside it; only the total gives that away.
  const beside = reasoning !== undefined && reasoning > 0 && usage.total_tokens === input + completion + reasoning
  return usageOf({
    input,
    output: beside ? completion + reasoning : completion,
    cacheRead,
    cacheWrite,
    reasoning,
    tier: wordIn(tier),
  })
}

/** Both detail objects are always there: some clients read into them without looking. */
export function encodeUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead ?? 0,
      ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  }
}
