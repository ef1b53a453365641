import { type Attempt, type AttemptOutcome, CHAT, isProviderError, type ProviderReason, type Usage } from 'deflector'
import { COMPLETIONS } from './completions.ts'
import { EMBEDDINGS } from './embeddings.ts'

/** What a vendor call used: one rule for all who count it, be it for books or for limits. */
export interface CallUsage {
  readonly usage: Usage
  /** The vendor did not say, or said less than it sent: some of it is a guess. */
  readonly estimated: boolean
}

export const NOTHING_USED: CallUsage = { usage: { input: 0, output: 0 }, estimated: false }

/** Operations whose tokens are those of the text that goes over the wire. */
const TEXT: ReadonlySet<string> = new Set([CHAT, COMPLETIONS, EMBEDDINGS])

/** Can the tokens of such a call be guessed from its text? */
export const isText = (operation: string): boolean => TEXT.has(operation)

/** Was the vendor asked? A call that was refused before, or that its dialect has no words for, reached none. */
export const wasCalled = ({ outcome, error }: Pick<AttemptOutcome, 'outcome' | 'error'>): boolean =>
  outcome !== 'refused' && !(isProviderError(error) && error.reason === 'unsayable')

const CHARACTERS_PER_TOKEN = 4

/** A guess, as near as four bytes a token are for a prompt. */
export const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

/** More than a model of today could read or write in one call, all rounds of its tools included. */
export const MOST_TOKENS = 100_000_000

/** Can a vendor have counted so many tokens? */
export const isPlausible = ({
  input,
  output,
  cacheRead = 0,
  cacheWrite = 0,
  cacheWriteLong = 0,
  reasoning = 0,
}: Usage): boolean =>
  [input, output, cacheRead, cacheWrite, cacheWriteLong, reasoning].every(
    tokens => Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS,
  )

type Ended = Pick<AttemptOutcome, 'outcome' | 'error' | 'status' | 'usage' | 'received'>

/**
 * The tokens of an attempt: the vendor's word, if it can be true, or a guess. Of what was cut off the vendor says too
 * little, unless its failure says it all, so at least the text that came is counted. Where nothing came, the prompt is
 * counted if the vendor may have worked at it. `answered` guesses the tokens of an answer that came whole and without a
 * count. `undefined`: the vendor answered, and there is no telling from what.
 */
export function callUsage(
  { operation, estimate }: Pick<Attempt, 'operation' | 'estimate'>,
  ended: Ended,
  answered: () => number,
): CallUsage | undefined {
  const { outcome, received = 0 } = ended
  const usage = ended.usage && isPlausible(ended.usage) ? ended.usage : undefined
  const text = isText(operation)
  if (outcome === 'answered') {
    if (usage) return { usage, estimated: false }
    if (!text) return undefined
    const output = received > 0 ? tokensOf(received) : answered()
    return { usage: { input: estimate.input, output }, estimated: true }
  }
  const isAll = isProviderError(ended.error) && ended.error.usage !== undefined
  if (usage && isAll) return { usage, estimated: false }
  if (!usage && received === 0 && !(text && mayHaveWorked(ended))) return NOTHING_USED
  if (!text) return usage && { usage, estimated: false }
  const output = Math.max(usage?.output ?? 0, tokensOf(received))
  return { usage: { ...usage, input: usage?.input || estimate.input, output }, estimated: true }
}

/** Did the vendor tell all that an attempt used? Then it counts with its end, though the vendor was to go on with it. */
export const isTold = (attempt: Pick<Attempt, 'operation' | 'estimate'>, ended: Ended): boolean =>
  callUsage(attempt, ended, () => 0)?.estimated === false

/** Failures after which a vendor may have read a prompt, and generated what never arrived. */
const BEGUN: ReadonlySet<ProviderReason> = new Set(['timeout', 'network', 'protocol', 'gave_up', 'untellable'])

/** May a vendor that counted nothing have worked at the prompt? One that refused it with a status has not. */
function mayHaveWorked({
  outcome,
  error,
  status = 200,
}: Pick<AttemptOutcome, 'outcome' | 'error' | 'status'>): boolean {
  if (outcome === 'cancelled') return true
  return outcome === 'failed' && status < 400 && isProviderError(error) && !error.unsent && BEGUN.has(error.reason)
}
