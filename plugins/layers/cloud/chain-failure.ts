import { GatewayError, type ProviderReason } from 'deflector'

/** Why a provider of the chain gave no answer. `no_credential` ones were never asked. */
export interface Failure {
  readonly provider: string
  readonly reason: ProviderReason | 'no_credential'
  readonly status?: number
  /** What failed below the vendor's protocol, and where: `ECONNREFUSED 127.0.0.1:9999`. */
  readonly detail?: string
}

/** An account out of credit is as limited as one that was too fast: its keys rest, and the next call finds them resting. */
const LIMITS = new Set<Failure['reason']>(['rate_limited', 'quota'])

export const isLimit = ({ reason }: Failure): boolean => LIMITS.has(reason)

/**
 * What the client is told when the whole chain gave no answer. `recoveryMs` is how long until the first limited
 * provider may be asked again; `expired` says that the time ran out before the chain did.
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
  const story = asked.map(told).join('; ')
  if (asked.every(isLimit)) {
    const retryAfterSecs = Math.max(1, Math.ceil(recoveryMs / 1000))
    return new GatewayError('rate_limited', `every provider is at its limit (${story})`, { retryAfterSecs })
  }
  if (expired) return new GatewayError('upstream_timeout', `no provider answered in time (${story})`)
  const code = asked.every(({ reason }) => reason === 'timeout') ? 'upstream_timeout' : 'upstream_failed'
  return new GatewayError(code, `no provider answered (${story})`)
}

const told = ({ provider, reason, status, detail }: Failure): string =>
  [`${provider}: ${reason}`, ...(status === undefined ? [] : [`status ${status}`]), ...(detail ? [detail] : [])].join(
    ', ',
  )
