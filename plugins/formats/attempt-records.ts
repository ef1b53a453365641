import {
  type Attempt,
  type AttemptOutcome,
  type Exchange,
  isGatewayError,
  isProviderError,
  Memo,
  PLUGIN_FAILED,
  unforeseen,
} from 'deflector'

/** Attempts at vendors of an exchange, in plain facts for logs and statistics. */

/** One vendor call, or one that was refused before its vendor was asked. */
export interface AttemptRecord {
  /** Instance name. */
  readonly provider: string
  readonly model: string | null
  readonly key: string | null
  readonly outcome: AttemptOutcome['outcome']
  /** The vendor's HTTP status, where it gave one. */
  readonly status: number | null
  /** Why it failed: the reason of a `ProviderError`, the code of a `GatewayError`, `outrun` of a hedge, or `other`. */
  readonly reason: string | null
  /** What was wrong, in the gateway's own words: see `ProviderErrorDetails.fault`. */
  readonly fault?: string
  /** Milliseconds. */
  readonly ms: number
  readonly first_token_ms: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** A guess in USD, filled in by who books it: `null` until then, and where no price is known. */
  readonly cost_usd: number | null
  /** The client's fields that the vendor was not told, see `ProviderCall.note`. */
  readonly omitted: readonly string[]
}

/** Later attempts are counted, and not kept. */
const MOST = 32
/** The client may have chosen the model's name. */
const LONGEST_NAME = 200

class Attempts {
  readonly kept: AttemptRecord[] = []
  /** When each of those began. */
  readonly began: number[] = []
  calls = 0
  last: AttemptOutcome | undefined
}

const attempts = new Memo<Attempts>()

/** Records how an attempt ended, once however many observers do so. For taps of `attempted`. */
export function recordAttempt(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void {
  const known = attempts.of(exchange) ?? new Attempts()
  if (known.last === outcome) return
  attempts.set(exchange, known)
  known.last = outcome
  if (outcome.outcome !== 'refused') known.calls++
  if (known.kept.length >= MOST) return
  const record = recordOf(attempt, outcome)
  byOutcome.set(outcome, record)
  const { began = performance.now() } = attempt
  // One that was outrun began first and ends last.
  const place = known.began.findLastIndex(other => other <= began) + 1
  known.began.splice(place, 0, began)
  known.kept.splice(place, 0, record)
}

const byOutcome = new WeakMap<AttemptOutcome, { cost_usd: number | null }>()

/** Fills in what a recorded attempt cost. */
export function noteAttemptCost(outcome: AttemptOutcome, usd: number | null): void {
  const record = byOutcome.get(outcome)
  if (record) record.cost_usd = usd
}

/** The attempts that have ended, in the order in which they began. */
export const attemptsOf = (exchange: Exchange): readonly AttemptRecord[] => attempts.of(exchange)?.kept ?? []

/** How often a vendor was asked, also where there were too many attempts to keep. */
export const callCount = (exchange: Exchange): number => attempts.of(exchange)?.calls ?? 0

function recordOf({ provider, model, keyLabel, omitted }: Attempt, ended: AttemptOutcome): AttemptRecord {
  const { outcome, error, status, usage, ms, firstTokenMs } = ended
  return {
    provider,
    model: model?.slice(0, LONGEST_NAME) ?? null,
    key: keyLabel ?? null,
    outcome,
    status: status ?? null,
    reason: outcome === 'answered' ? null : outcome === 'cancelled' ? cancelReasonOf(error) : reasonOf(error),
    ...faultOf(ended),
    ms: round(ms),
    first_token_ms: firstTokenMs === undefined ? null : round(firstTokenMs),
    input_tokens: usage?.input ?? null,
    output_tokens: usage?.output ?? null,
    cost_usd: null,
    omitted: omitted.slice(0, MOST).map(field => field.slice(0, LONGEST_NAME)),
  }
}

/** No messages: they may quote what a client or a vendor wrote. */
export const reasonOf = (error: unknown): string =>
  isProviderError(error) ? error.reason : isGatewayError(error) ? error.code : 'other'

function faultOf({ outcome, error }: AttemptOutcome): Pick<AttemptRecord, 'fault'> {
  if (outcome !== 'failed') return {}
  const fault = isProviderError(error) ? error.fault : unforeseen(error) && PLUGIN_FAILED
  return fault === undefined ? {} : { fault: fault.slice(0, LONGEST_NAME) }
}

/** Who cancels for a reason of its own names it in `reason`. */
function cancelReasonOf(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined
  return typeof reason === 'string' && /^[a-z_]{1,40}$/.test(reason) ? reason : reasonOf(error)
}

/** To a microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000
