import { facet } from 'deflector'

/** One limit, and what is taken of it. Amounts are in `unit`. */
export interface QuotaWindow {
  readonly window: 'minute' | 'daily' | 'weekly' | 'monthly'
  readonly unit: 'requests' | 'tokens' | 'usd'
  readonly limit: number
  /** What calls have taken since the window began. */
  readonly used: number
  /** What calls on their way may take. */
  readonly reserved: number
  /** ISO 8601. */
  readonly resets_at: string
}

/** The limits of one provider, or of one gateway key. */
export interface QuotaStatus {
  /** Name of the policy: a provider's instance or vendor, or the label of a key. */
  readonly provider: string
  /** What becomes of a call above a limit: `warn`, `block` or `fallback`. */
  readonly action: string
  /** For people, one for each window. */
  readonly lines: string[]
  /** Those of `lines` that say that a limit is near or passed. */
  readonly warnings: string[]
  readonly windows: readonly QuotaWindow[]
  /** The store that counts for several gateways is out of reach: what others used since is not known. */
  readonly stale: boolean
}

/** Called with every request of an admin page; looks at what this gateway knows already. */
export const quotaStatus = facet<() => readonly QuotaStatus[]>('quota-status')
