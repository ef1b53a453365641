import { type Cancellation, facet } from 'deflector'

/** What one look at a vendor's endpoint showed. */
export interface ProviderCheck {
  /** Something answered over HTTP. */
  readonly reachable: boolean
  /** The credential was taken; `undefined` where the look does not show it. */
  readonly authorized: boolean | undefined
  readonly latencyMs: number
  /** HTTP status, where there was one. */
  readonly status: number | undefined
  /** Why it is not healthy, without keys. Absent: it is. */
  readonly error?: string
}

/** What a look is made with in place of what is configured. */
export interface CheckedWith {
  readonly key?: string | undefined
  /** Another endpoint. No configured key is sent there. */
  readonly url?: string | undefined
}

/** Where a provider sends its calls, and how to see that the place is there. */
export interface ProviderEndpoint {
  /** Without query and credentials. */
  readonly url: string
  /** Does a look show whether the vendor takes the key? It has a list of models then. */
  readonly showsKey: boolean
  /** One small request that generates nothing. Never throws. */
  check(cancellation: Cancellation, given?: CheckedWith): Promise<ProviderCheck>
}

/** Offered by providers that are called over HTTP. */
export const providerEndpoint = facet<ProviderEndpoint>('provider-endpoint')
