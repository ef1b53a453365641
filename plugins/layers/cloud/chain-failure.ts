import { GatewayError, type GatewayErrorDetails, ProviderError, type ProviderReason } from 'deflector'
import { isBlock } from './block.ts'
import type { Candidate } from './candidate.ts'
import type { KeyChoice } from './key-pool.ts'

/** Why a provider of the chain gave no answer. A provider with `no_credential` was never asked. */
export interface Failure {
  readonly provider: string
  readonly reason: ProviderReason | 'no_credential'
  readonly status?: number
  /** What failed below the vendor's protocol, and where: `ECONNREFUSED 127.0.0.1:9999`. */
  readonly detail?: string
  /** How long the vendor asks us to wait, within our limit. */
  readonly retryAfterMs?: number
  /** What was thrown. */
  readonly error?: ProviderError
}

/** An account out of credit counts as rate-limited: its keys cool down, and the next call finds them cooling. */
const LIMITS = new Set<Failure['reason']>(['rate_limited', 'quota'])

export const isLimit = ({ reason }: Failure): boolean => LIMITS.has(reason)

/** Why a provider had no key for this request. What made its keys cool down is told again. */
export function notAsked({ name: provider, provider: { keyTrouble } }: Candidate, choice: KeyChoice): Failure {
  if (choice.state === 'missing') {
    const detail = keyTrouble?.()
    return { provider, reason: 'no_credential', ...(detail !== undefined && { detail }) }
  }
  if (choice.state !== 'cooling' || !choice.outOfCredit) return { provider, reason: 'rate_limited' }
  return { provider, reason: 'quota', error: new ProviderError('quota', `${provider} is out of credit`) }
}

/**
 * The error for the client when the whole chain gave no answer. It is a 429 where a wait helps: all providers are at a
 * limit, but for those that only their operator can mend, such as one with a wrong key. `recoveryMs` is the time until
 * the first limited provider may be asked again; `expired` means that the time limit ended before the chain did.
 */
export function chainFailure(failures: readonly Failure[], recoveryMs: number, expired: boolean): GatewayError {
  const tried = failures.filter(failure => failure.reason !== 'no_credential')
  // What no dialect could say was asked of nobody: it is told, and says nothing of the others.
  const asked = tried.filter(failure => failure.reason !== 'unsayable')
  if (asked.length === 0) {
    const [damaged] = failures.filter(({ detail }) => detail !== undefined)
    if (damaged)
      return new GatewayError(
        'no_credential',
        `${damaged.provider} has no key: ${damaged.detail}; the log says why, and "deflector set-key --provider ${damaged.provider}" stores it anew`,
      )
    const names = failures.flatMap(failure => (failure.reason === 'no_credential' ? failure.provider : [])).join(', ')
    const what = names
      ? `no credential is configured for ${names}; set SERVICE__EXTERNAL_LLM_API_KEY for the primary provider, api_key in fallback_providers for any other, or run "deflector set-key"`
      : 'no provider is configured; name one in the chain of the cloud layer'
    return new GatewayError('no_credential', what)
  }
  const over = asked.filter(isOverQuota)
  if (over.length === asked.length) return quotaFailure(over)
  const attempts = tried.map(describe).join('; ')
  const told = toldOf(asked)
  const ends = lastOfEach(asked.filter(({ error }) => !error?.lasting))
  if (asked.every(isLimit) || (ends.length > 0 && ends.every(isLimit))) {
    // Where every account is out of credit no wait helps.
    const wait = told.retryable === false ? {} : { retryAfterSecs: Math.max(1, Math.ceil(recoveryMs / 1000)) }
    const which = tried.every(isLimit) ? 'every provider' : 'every provider that may answer'
    return new GatewayError('rate_limited', `${which} is at its limit (${attempts})`, { ...told, ...wait })
  }
  if (expired) return new GatewayError('upstream_timeout', `no provider answered in time (${attempts})`, told)
  const code = asked.every(({ reason }) => reason === 'timeout') ? 'upstream_timeout' : 'upstream_failed'
  return new GatewayError(code, `no provider answered (${attempts})`, told)
}

/** How each provider was in the end: what it did before that has passed. */
const lastOfEach = (failures: readonly Failure[]): readonly Failure[] => [
  ...new Map(failures.map(failure => [failure.provider, failure] as const)).values(),
]

/** A limit of the operator's own refused the call, and no vendor. */
const isOverQuota = ({ reason, error }: Failure): boolean => reason === 'quota' && error?.refused === true

/** A quota that the call alone would pass: no wait lets it through. */
export const neverMends = (failure: Failure): boolean => isOverQuota(failure) && failure.retryAfterMs === undefined

/** No failure of any vendor's: nothing stale stands in for it, and only the end of a window mends it. */
function quotaFailure(over: readonly Failure[]): GatewayError {
  const block = over.map(({ error }) => error?.cause).find(isBlock)
  if (block) return block
  const why = [...new Set(over.map(({ provider, error }) => error?.message ?? `${provider}: quota`))].join('; ')
  const waits = over.flatMap(({ error }) => error?.retryAfterMs ?? [])
  const wait = waits.length > 0 ? { retryAfterSecs: Math.max(1, Math.ceil(Math.min(...waits) / 1000)) } : {}
  return new GatewayError('quota_blocked', why, wait)
}

/**
 * What the client learns of the vendors' own accounts: the class of the last failure, of those that may pass before
 * those that last. Only where one vendor was asked is its whole account that of the failure.
 */
function toldOf(asked: readonly Failure[]): Pick<GatewayErrorDetails, 'vendor' | 'retryable' | 'retryAfterSecs'> {
  const passing = asked.filter(({ error }) => !error?.lasting)
  const deciding = (passing.length > 0 ? passing : asked).findLast(({ error }) => error?.class !== undefined)
  const alone = asked.every(({ provider }) => provider === deciding?.provider)
  const { vendor } = deciding?.error ?? {}
  return {
    ...(vendor && { vendor: alone ? vendor : { ...(vendor.class !== undefined && { class: vendor.class }) } }),
    ...(passing.length === 0 && { retryable: false }),
    ...(alone &&
      passing.length > 0 &&
      deciding?.retryAfterMs && { retryAfterSecs: Math.ceil(deciding.retryAfterMs / 1000) }),
  }
}

const describe = ({ provider, reason, status, detail, error }: Failure): string =>
  [
    error?.class === 'authentication' ? `${provider} refused the key that the gateway sent` : `${provider}: ${reason}`,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(detail ? [nameIn(detail)] : []),
    ...(error?.fault === undefined ? [] : [error.fault]),
  ].join(', ')

/** Where a vendor is, behind our own network perhaps, is for the log alone. */
const nameIn = (detail: string): string => detail.replace(/ .*/s, '')
