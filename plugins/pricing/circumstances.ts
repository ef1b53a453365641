import type { Usage } from 'deflector'
import type { Circumstances } from './cost.ts'

const LONG_CACHE = /"ttl"\s*:\s*"1h"/
const TTL = new TextEncoder().encode('"ttl"')

/** What decides the rate of a call, by the body that was sent: a client may have its prompt cached for an hour, which costs more. */
export function circumstancesOf({ cacheWrite = 0 }: Usage, sent: Uint8Array): Circumstances {
  if (cacheWrite === 0) return {}
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  for (let at = bytes.indexOf(TTL); at >= 0; at = bytes.indexOf(TTL, at + 1))
    if (LONG_CACHE.test(bytes.toString('latin1', at, at + 40))) return { longCache: true }
  return {}
}
