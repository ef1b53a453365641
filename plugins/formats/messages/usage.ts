import type { Usage } from 'deflector'
import { z } from 'zod'
import { tierOf } from '../tier-words.ts'
import { usageOf } from '../usage.ts'
import { ANSWER_TIERS } from './tiers.ts'

const tokens = z.number().nonnegative().nullish().catch(undefined)

/** What each sampling is counted by, and all of them together. */
const counts = {
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: tokens }).nullish().catch(undefined),
}
const sampling = z.looseObject(counts)
type Sampling = z.infer<typeof sampling>

/** The usage fields that count. Hosts leave out what they like. */
export const wireUsage = z.looseObject({
  ...counts,
  service_tier: z.string().nullish().catch(undefined),
  output_tokens_details: z.looseObject({ thinking_tokens: tokens }).nullish().catch(undefined),
  iterations: z.array(sampling).nullish().catch(undefined),
})

export type WireUsage = z.infer<typeof wireUsage>

/** Here `input_tokens` is only what no cache served; canonically `input` is all of it. */
export function readUsage(usage: WireUsage): Usage {
  const samplings = usage.iterations ?? []
  const sum = sumOf(samplings)
  // Usage leaves out samplings that made no part of the message, such as a compaction. They are billed, too.
  const isMore = totalOf(sum) > totalOf(usage)
  const counted = isMore ? sum : usage
  const cacheRead = counted.cache_read_input_tokens ?? undefined
  const cacheWrite = counted.cache_creation_input_tokens ?? undefined
  return usageOf({
    input: promptOf(counted),
    output: counted.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
    cacheWriteLong: counted.cache_creation?.ephemeral_1h_input_tokens ?? undefined,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? undefined,
    largestPrompt: isMore ? Math.max(...samplings.map(promptOf)) : undefined,
    tier: tierOf(usage.service_tier, ANSWER_TIERS),
  })
}

/** All that was sent, from a cache or not. */
const promptOf = ({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: Sampling): number =>
  (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)

const totalOf = (counted: Sampling): number => promptOf(counted) + (counted.output_tokens ?? 0)

/** What none of them tells stays untold. */
function sumOf(samplings: readonly Sampling[]): Sampling {
  const sum = (read: (one: Sampling) => number | null | undefined): number | undefined => {
    const told = samplings.map(read).filter(count => typeof count === 'number')
    return told.length > 0 ? told.reduce((all, one) => all + one, 0) : undefined
  }
  return {
    input_tokens: sum(one => one.input_tokens),
    output_tokens: sum(one => one.output_tokens),
    cache_read_input_tokens: sum(one => one.cache_read_input_tokens),
    cache_creation_input_tokens: sum(one => one.cache_creation_input_tokens),
    cache_creation: { ephemeral_1h_input_tokens: sum(one => one.cache_creation?.ephemeral_1h_input_tokens) },
  }
}

/** The later report over the earlier. Every count is cumulative, so a host's 0 at the end does not undo the start. */
export function mergeUsage(before: WireUsage, after: WireUsage): WireUsage {
  const most = (a: number | null | undefined, b: number | null | undefined) =>
    typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : (b ?? a)
  return {
    input_tokens: most(before.input_tokens, after.input_tokens),
    output_tokens: most(before.output_tokens, after.output_tokens),
    cache_read_input_tokens: most(before.cache_read_input_tokens, after.cache_read_input_tokens),
    cache_creation_input_tokens: most(before.cache_creation_input_tokens, after.cache_creation_input_tokens),
    cache_creation: after.cache_creation ?? before.cache_creation,
    output_tokens_details: after.output_tokens_details ?? before.output_tokens_details,
    service_tier: after.service_tier ?? before.service_tier,
    iterations: after.iterations ?? before.iterations,
  }
}

/** The reverse of `readUsage`; a vendor that counts more cached than sent does not lead below 0. */
export function writeUsage({ input, output, cacheRead, cacheWrite, reasoning, tier }: Usage) {
  const service_tier = tier === undefined ? undefined : ANSWER_TIERS[tier]
  return {
    input_tokens: Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    cache_creation_input_tokens: cacheWrite ?? 0,
    cache_read_input_tokens: cacheRead ?? 0,
    output_tokens: output,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(service_tier !== undefined && { service_tier }),
  }
}

/** Clients of this format need a number. Without a count, a guess is nearer to the truth than 0. */
export const guessTokens = (characters: number): number =>
  characters === 0 ? 0 : Math.max(1, Math.ceil(characters / 4))
