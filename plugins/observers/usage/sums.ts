import type { UsageAttempt, UsageEvent } from './event.ts'

/** What is added up, in the order in which it is kept. */
const FIELDS = [
  'requests',
  'deflected',
  'prompt',
  'cachedRead',
  'cacheWrite',
  'completion',
  'reasoning',
  'cost',
  'saved',
  'savedTokens',
  /** Calls and deflections whose price is unknown. */
  'unpriced',
  /** Those whose tokens are a guess. */
  'estimated',
  /** Requests that were refused or failed. */
  'failed',
  /** Of those whose price is unknown, the deflections. */
  'unpricedSaved',
] as const
type Field = (typeof FIELDS)[number]

/** Totals of some requests: tokens in disjoint parts (`prompt` is what no cache served), costs in USD. */
export type Sums = { [F in Field]: number }

export const noSums = (): Sums => ({
  requests: 0,
  deflected: 0,
  prompt: 0,
  cachedRead: 0,
  cacheWrite: 0,
  completion: 0,
  reasoning: 0,
  cost: 0,
  saved: 0,
  savedTokens: 0,
  unpriced: 0,
  estimated: 0,
  failed: 0,
  unpricedSaved: 0,
})

export function addSums(to: Sums, more: Sums): void {
  for (const field of FIELDS) to[field] += more[field]
}

export const isEmpty = (sums: Sums): boolean => FIELDS.every(field => sums[field] === 0)

/** As they are written down, and back. */
export const encodeSums = (sums: Sums): number[] => FIELDS.map(field => sums[field])
export function decodeSums(numbers: readonly number[]): Sums {
  const sums = noSums()
  for (const [at, field] of FIELDS.entries()) sums[field] = numbers[at] ?? 0
  return sums
}

/** The request itself: that there was one, and what its deflection saved. */
export function addRequest(to: Sums, event: UsageEvent): void {
  const { deflected, status, saved_cost_usd, saved_tokens, late, estimated } = event
  if (late) return
  to.requests++
  if (status >= 400) to.failed++
  if (!deflected) return
  to.deflected++
  to.saved += saved_cost_usd ?? 0
  to.savedTokens += saved_tokens
  if (saved_cost_usd === null) {
    to.unpriced++
    to.unpricedSaved++
  }
  if (estimated) to.estimated++
}

/** One of its vendor calls. */
export function addAttempt(to: Sums, { usage, cost }: UsageAttempt): void {
  to.prompt += usage.prompt_tokens
  to.cachedRead += usage.cached_read_tokens
  to.cacheWrite += usage.cache_write_tokens
  to.completion += usage.completion_tokens
  to.reasoning += usage.reasoning_tokens
  to.cost += cost ?? 0
  if (cost === null) to.unpriced++
  if (usage.estimated) to.estimated++
}
