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
  /** Each key of a pool, where all were looked at. */
  readonly keys?: readonly KeyCheck[]
}

/** What a look with one key of a pool showed. */
export interface KeyCheck extends Pick<ProviderCheck, 'authorized' | 'status' | 'error'> {
  /** See `maskedKey`. */
  readonly maskedKey: string
  /** Its place in the pool, from 1. */
  readonly position: number
  readonly label: string | undefined
}

/** What a look is made with in place of what is configured. */
export interface CheckedWith {
  readonly key?: string | undefined
  /** Another endpoint. No configured key is sent there. */
  readonly url?: string | undefined
  /** Each configured key in turn, with a request of its own. Default: the first. */
  readonly everyKey?: boolean
}

/** Where a provider sends its calls, and how to see that the place is there. */
export interface ProviderEndpoint {
  /** Without query and credentials. */
  readonly url: string
  /** Does a look show whether the vendor takes the key? It has a list of models then. */
  readonly showsKey: boolean
  /** One small request that generates nothing, or one for each key. Never throws. */
  check(cancellation: Cancellation, given?: CheckedWith): Promise<ProviderCheck>
}

/** Offered by providers that are called over HTTP. */
export const providerEndpoint = facet<ProviderEndpoint>('provider-endpoint')
