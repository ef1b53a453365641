import { facet } from 'deflector'

/** Requests that came by one surface, got equally far and were ended by one layer. Names are those of instances. */
export interface Passage {
  readonly surface: string
  readonly flow: string
  /** The last layer that had the request; `null` where none had it. */
  readonly reached: string | null
  /** The layer that answered them, or at which they failed; `null` where nobody did. */
  readonly ended: string | null
  readonly requests: number
  /** Those of them that were refused or failed; the others were answered. */
  readonly failed: number
}

/** Calls of one provider by one layer. */
export interface ProviderTraffic {
  readonly flow: string
  readonly layer: string
  readonly provider: string
  readonly calls: number
  /** Those of them that ended without an answer. */
  readonly failed: number
}

/**
 * Which ways requests went, since the gateway began. Questions to the caches and changes by operators count as well, and
 * what operators only look at does not.
 */
export interface FlowTraffic {
  /** Milliseconds since 1970. */
  readonly since: number
  passages(): readonly Passage[]
  providers(): readonly ProviderTraffic[]
}

export const flowTraffic = facet<FlowTraffic>('flow-traffic')
