import { GatewayError, type ProviderReason } from 'deflector'

/** Why a provider of the chain gave no answer. A provider with `no_credential` was never asked. */
export interface Failure {
  readonly provider: string
  readonly reason: ProviderReason | 'no_credential'
  readonly status?: number
  /** What failed below the vendor's protocol, and where: `ECONNREFUSED 127.0.0.1:9999`. */
  readonly detail?: string
}

/** An account out of credit counts as rate-limited: its keys cool down, and the next call finds them cooling. */
const LIMITS = new Set<Failure['reason']>(['rate_limited', 'quota'])

export const isLimit = ({ reason }: Failure): boolean => LIMITS.has(reason)

/**
 * The error for the client when the whole chain gave no answer. `recoveryMs` is the time until the first limited
 * provider may be asked again; `expired` means that the time limit ended before the chain did.
 */
export function chainFailure(failures: readonly Failure[], recoveryMs: number, expired: boolean): GatewayError {
  const asked = failures.filter(failure => failure.reason !== 'no_credential')
  if (asked.length === 0) {
    const names = failures.map(failure => failure.provider).join(', ')
    const what = names
      ? `no credential is configured for ${names}; set SERVICE__EXTERNAL_LLM_API_KEY for the primary provider, api_key in fallback_providers for any other`
      : 'no provider is configured; name one in the chain of the cloud layer'
    return new GatewayError('no_credential', what)
  }
  const attempts = asked.map(describe).join('; ')
  if (asked.every(isLimit)) {
    const retryAfterSecs = Math.max(1, Math.ceil(recoveryMs / 1000))
    return new GatewayError('rate_limited', `every provider is at its limit (${attempts})`, { retryAfterSecs })
  }
  if (expired) return new GatewayError('upstream_timeout', `no provider answered in time (${attempts})`)
  const code = asked.every(({ reason }) => reason === 'timeout') ? 'upstream_timeout' : 'upstream_failed'
  return new GatewayError(code, `no provider answered (${attempts})`)
}

const describe = ({ provider, reason, status, detail }: Failure): string =>
  [`${provider}: ${reason}`, ...(status === undefined ? [] : [`status ${status}`]), ...(detail ? [detail] : [])].join(
    ', ',
  )
