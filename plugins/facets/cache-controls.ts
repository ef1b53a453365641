import { facet } from 'deflector'

/** What the operator may ask of a layer that keeps answers. */
export interface CacheControls {
  /** Counts by name, in snake_case: since the process began (`hits`), or as they are now (`entries`). */
  stats(): Promise<Readonly<Record<string, number>>> | Readonly<Record<string, number>>
  /** Throws `GatewayError` when what keeps the answers cannot be emptied. */
  clear(): Promise<void>
  /** Removes what this request was given or stored, so that it is served no more. False: nothing of it is kept. */
  forget(requestId: string): Promise<boolean>
  /** The request that stored what this one was given, where that was another. Asked before `forget`. */
  origin?(requestId: string): string | undefined
  /** Other requests that were given the same answer here: what other layers kept of it under their ids has to go too. */
  copies?(requestId: string): readonly string[]
}

export const cacheControls = facet<CacheControls>('cache-controls')
