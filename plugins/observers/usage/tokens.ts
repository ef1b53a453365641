import type { Answer, Attempt, AttemptOutcome, Usage } from 'deflector'
import { type CallUsage, callUsage, isPlausible, NOTHING_USED, tokensOf } from 'deflector/formats/call-usage'
import { readable, textLength } from 'deflector/formats/whole-text'
import { bucketsOf } from 'deflector/pricing'
import type { TokenParts } from './event.ts'

/** The tokens of an attempt; `answer` is what its client got of it, if anything. See `callUsage`. */
export const measured = (
  attempt: Attempt,
  outcome: AttemptOutcome,
  answer: Answer | undefined,
): CallUsage | undefined =>
  callUsage(attempt, outcome, () => (answer?.kind === 'whole' ? tokensOf(textLength(answer)) : 0))

/** What an answer that cost nothing here would have used at a vendor: what it says itself, or a guess. It may say one, too. */
export function wouldUse(answer: Answer, promptBytes: number): CallUsage {
  const told = answer.kind === 'whole' ? toldBy(answer) : answer.kind === 'bytes' ? answer.usage : answer.progress.usage
  if (told && isPlausible(told)) return { usage: told, estimated: told.guessed === true }
  const output = answer.kind === 'whole' ? textLength(answer) : answer.kind === 'live' ? answer.progress.received : 0
  return { usage: { input: tokensOf(promptBytes), output: tokensOf(output ?? 0) }, estimated: true }
}

type Whole = Extract<Answer, { kind: 'whole' }>

/** A store in memory serves the same bytes again and again. */
const told = new WeakMap<Uint8Array, Usage | 'none'>()

function toldBy(answer: Whole): Usage | undefined {
  const bytes = answer.wire?.bytes
  const known = bytes && told.get(bytes)
  if (known) return known === 'none' ? undefined : known
  const usage = readable(answer)?.usage
  if (bytes) told.set(bytes, usage ?? 'none')
  return usage
}

/** As the ledger has it. */
export function partsOf({ usage, estimated }: CallUsage): TokenParts {
  const { fresh, read, written, output, reasoning } = bucketsOf(usage)
  return {
    prompt_tokens: fresh,
    completion_tokens: output,
    cached_read_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
    total_tokens: fresh + read + written + output,
    estimated,
  }
}

export function sumOf(parts: readonly TokenParts[]): TokenParts {
  const sum = { ...partsOf(NOTHING_USED) }
  for (const part of parts) {
    sum.prompt_tokens += part.prompt_tokens
    sum.completion_tokens += part.completion_tokens
    sum.cached_read_tokens += part.cached_read_tokens
    sum.cache_write_tokens += part.cache_write_tokens
    sum.reasoning_tokens += part.reasoning_tokens
    sum.total_tokens += part.total_tokens
    sum.estimated ||= part.estimated
  }
  return sum
}
