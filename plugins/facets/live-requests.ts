import { facet } from 'deflector'

/** A request that is over, in a line for whoever watches. No text of it. */
export interface LiveRequest {
  readonly id: string
  /** ISO 8601: when it was over. */
  readonly time: string
  /** Label, as in `X-Service-Layer`. */
  readonly layer: string
  readonly status: number
  /** Milliseconds from the request to the end of its answer. */
  readonly ms: number
  readonly model: string | null
  /** Instance name of the provider that answered; `null` where no vendor was asked. */
  readonly provider: string | null
  readonly client: string
  readonly tool: string
  /** Label of the gateway key that it came with. */
  readonly key: string | null
  readonly tags: readonly string[]
  /** Code of the failure. */
  readonly error: string | null
  /** Tokens that no vendor was asked for, roughly; 0 where one was. */
  readonly saved: number
  /** USD that its vendor calls cost; `null` where it is not known. */
  readonly cost_usd: number | null
  /** USD that it would have cost at a vendor, as above. */
  readonly saved_cost_usd: number | null
  /** Requests before this one that are left out because there were too many in a second. */
  readonly skipped: number
}

export interface LiveRequests {
  /** Calls `see` for each request from now on, until the function given back is called. `see` must not wait. */
  watch(see: (request: LiveRequest) => void): () => void
}

export const liveRequests = facet<LiveRequests>('live-requests')
