import type { Answer, Attempt, AttemptOutcome, Usage } from 'deflector'
import { type CallUsage, callUsage, isPlausible, NOTHING_USED, tokensOf } from 'deflector/formats/call-usage'
import { bucketsOf } from 'deflector/pricing'
import type { TokenParts } from './event.ts'

/** A whole answer above this many bytes is not read again for its usage. */
const LARGEST_ANSWER = 512 << 10

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
  if (sizeOf(answer) > LARGEST_ANSWER) return undefined
  const usage = completionOf(answer)?.usage
  if (bytes) told.set(bytes, usage ?? 'none')
  return usage
}

function textLength(answer: Whole): number {
  if (sizeOf(answer) > LARGEST_ANSWER) return sizeOf(answer)
  let length = 0
  for (const block of completionOf(answer)?.blocks ?? [])
    length += block.type === 'tool_call' ? block.args.length : 'text' in block ? block.text.length : 0
  return length
}

const sizeOf = ({ wire, stream }: Whole): number => wire?.bytes.length ?? stream?.text.length ?? 0

/** Bytes that nothing can read went to a client of the same dialect all the same. */
function completionOf(answer: Whole): Whole['completion'] | undefined {
  try {
    return answer.completion
  } catch {
    return undefined
  }
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
