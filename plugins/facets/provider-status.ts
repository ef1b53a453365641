import { facet } from 'deflector'
import type { ProviderCheck } from './provider-endpoint.ts'

/** How one key of a pool is. Times are milliseconds since 1970. */
export interface KeyStatus {
  /** See `maskedKey`. */
  readonly maskedKey: string
  /** Its place in the pool, from 1: short keys show nothing of themselves. */
  readonly position: number
  readonly label: string | undefined
  readonly priority: number | undefined
  readonly status: 'available' | 'cooling_down'
  readonly requests: number
  readonly rateLimits: number
  readonly lastUsed: number | undefined
  readonly cooldownUntil: number | undefined
}

/** How one provider of a chain is, since the gateway began. Times are milliseconds since 1970. */
export interface ProviderStatus {
  /** Instance name. */
  readonly name: string
  /** The first of the list that does not fail repeatedly. */
  readonly active: boolean
  /** By the latest word on it, of traffic or of a check; `no_credential`: it needs a key, has none, and is never asked. */
  readonly status: 'healthy' | 'failing' | 'unknown' | 'no_credential'
  readonly model: string | undefined
  /** Without query and credentials; absent where it is not called over HTTP. */
  readonly endpoint: string | undefined
  readonly keyConfigured: boolean
  /** Attempts, and those that failed through no fault of the request's. */
  readonly requests: number
  readonly errors: number
  /** Moving averages, in milliseconds. */
  readonly latencyMs: number | undefined
  readonly firstTokenMs: number | undefined
  /** `open`: it failed repeatedly and is asked last; `half_open`: the next request shows whether it is back. */
  readonly circuit: 'closed' | 'open' | 'half_open'
  readonly strategy: string
  readonly cooldownSecs: number
  readonly keys: readonly KeyStatus[]
  readonly lastSuccess: number | undefined
  readonly lastError: number | undefined
  /** At most 500 characters, without keys. */
  readonly lastErrorMessage: string | undefined
  readonly lastCheck: number | undefined
}

/** What a layer that asks a chain of providers knows of them. */
export interface ProviderStatuses {
  /** Nothing may leave the machine: nobody else may look at the endpoints either. */
  readonly offline: boolean
  /** In the order of the list. */
  statuses(): readonly ProviderStatus[]
  /** Somebody has looked at the endpoint of one of them. */
  checked(provider: string, check: ProviderCheck): void
}

export const providerStatuses = facet<ProviderStatuses>('provider-statuses')
