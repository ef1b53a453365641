import { facet } from 'deflector'

/** What a layer took out of requests, since the gateway began. */
export interface ContextSavings {
  /** Requests that became shorter. */
  readonly requests: number
  readonly bytesSaved: number
  /** Requests whose vendor was told what to cache, and tokens that it then read from its cache and wrote there. */
  readonly requestsMarked: number
  readonly tokensRead: number
  readonly tokensWritten: number
}

/** Offered by layers that shorten requests. */
export const contextSavings = facet<() => ContextSavings>('context-savings')
