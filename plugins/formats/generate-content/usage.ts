import { isObject, type JsonObject, type Usage } from 'deflector'
import { tierOf } from '../tier-words.ts'
import { count, usageOf } from '../usage.ts'
import { TIERS } from './tiers.ts'

/** `undefined` when the vendor counted nothing. Thoughts stand beside the answer here, and what tools read beside the prompt. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const prompt = count(usage.promptTokenCount)
  const said = count(usage.candidatesTokenCount) ?? count(usage.responseTokenCount)
  if (prompt === undefined && said === undefined) return undefined
  const reasoning = count(usage.thoughtsTokenCount)
  return usageOf({
    input: (prompt ?? 0) + (count(usage.toolUsePromptTokenCount) ?? 0),
    output: (said ?? 0) + (reasoning ?? 0),
    cacheRead: count(usage.cachedContentTokenCount),
    reasoning,
    tier: tierOf(usage.serviceTier, TIERS),
  })
}

/** The reverse. The format has no word for tokens that were written to a cache; they are part of the prompt. */
export function writeUsage({ input, output, cacheRead, reasoning, tier }: Usage): JsonObject {
  const serviceTier = tier === undefined ? undefined : TIERS[tier]
  return {
    promptTokenCount: input,
    ...(cacheRead !== undefined && cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: Math.max(0, output - (reasoning ?? 0)),
    ...(reasoning !== undefined && { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + output,
    ...(serviceTier !== undefined && { serviceTier }),
  }
}
