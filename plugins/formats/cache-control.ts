import type { Exchange } from 'deflector'
import { badRequest } from './body.ts'

/** What one request asks of the caches. */
export interface CacheControl {
  /** May a stored answer be given? */
  readonly read: boolean
  /** May the answer be stored? */
  readonly write: boolean
  /** Seconds the answer is to be served, where the request says so. */
  readonly ttlSecs?: number
}

const TTL_HEADER = 'x-service-cache-ttl'

/**
 * Reads `cache-control: no-cache` (ask anew, and store what comes), `no-store` (neither read nor write) and
 * `x-service-cache-ttl: <seconds>`, which is held to `maxTtlSecs`; 0 stores nothing, as an answer's `max-age=0`.
 * Other directives are no wish of ours and are passed over. A time to live that is negative or no number is a mistake:
 * throws `bad_request`.
 */
export function cacheControl(headers: Exchange['headers'], maxTtlSecs: number): CacheControl {
  const ttlSecs = ttlOf(headers[TTL_HEADER], maxTtlSecs)
  const keeps = !directivesIn(headers).includes('no-store')
  const read = !asksAnew(headers)
  if (ttlSecs === 0) return { read, write: false }
  return { read, write: keeps, ...(ttlSecs !== undefined && { ttlSecs }) }
}

/** Does the client want an answer of its own, and none that another request gets? */
export const asksAnew = (headers: Exchange['headers']): boolean =>
  directivesIn(headers).some(one => one === 'no-store' || one === 'no-cache')

const NONE: readonly string[] = []
const directivesIn = ({ 'cache-control': said }: Exchange['headers']): readonly string[] =>
  said === undefined ? NONE : said.split(',').map(one => one.trim().toLowerCase())

function ttlOf(text: string | undefined, maxTtlSecs: number): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  if (!/^\s*\+?\d+\s*$/.test(text)) throw badRequest(TTL_HEADER, 'must be a whole number of seconds, 0 or more')
  return Math.min(Number(text), Math.max(maxTtlSecs, 1))
}
