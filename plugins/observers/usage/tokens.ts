import { type Answer, type Attempt, type AttemptOutcome, CHAT, type Usage } from 'deflector'
import { bucketsOf } from 'deflector/pricing'
import type { TokenParts } from './event.ts'

const CHARACTERS_PER_TOKEN = 4
/** Operations whose tokens are those of the text that goes over the wire. */
const TEXT: ReadonlySet<string> = new Set([CHAT, 'completions', 'embeddings'])
/** A whole answer above this many bytes is not read again for its usage. */
const LARGEST_ANSWER = 512 << 10

/** The tokens of a call: the vendor's word, or a guess. */
export interface Measured {
  readonly usage: Usage
  readonly estimated: boolean
}

export const NOTHING: Measured = { usage: { input: 0, output: 0 }, estimated: false }

/**
 * The tokens of an attempt. What failed before anything came is free. Of what was cut off the vendor says too little, so
 * at least the text that came is counted. `undefined`: it was answered, and there is no telling from what.
 */
export function measured(
  attempt: Pick<Attempt, 'operation' | 'estimate'>,
  { outcome, usage, received = 0 }: Pick<AttemptOutcome, 'outcome' | 'usage' | 'received'>,
  answer: Answer | undefined,
): Measured | undefined {
  const answered = outcome === 'answered'
  if (answered && usage) return { usage, estimated: false }
  if (!answered && !usage && received === 0) return NOTHING
  if (!TEXT.has(attempt.operation)) return usage && { usage, estimated: false }
  const text = received > 0 || answer?.kind !== 'whole' ? received : textLength(answer)
  const output = Math.max(usage?.output ?? 0, tokensOf(text))
  return { usage: { ...usage, input: usage?.input || attempt.estimate.input, output }, estimated: true }
}

/** What an answer that cost nothing here would have used at a vendor: what it says itself, or a guess. */
export function wouldUse(answer: Answer, promptBytes: number): Measured {
  const told = answer.kind === 'whole' ? toldBy(answer) : answer.kind === 'bytes' ? answer.usage : answer.progress.usage
  if (told) return { usage: told, estimated: false }
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

const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

/** As the ledger has it. */
export function partsOf({ usage, estimated }: Measured): TokenParts {
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
  const sum = { ...partsOf(NOTHING) }
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
