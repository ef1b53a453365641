import type { Usage } from 'deflector'
import type { Circumstances } from './cost.ts'

/** Marks by which a client has its prompt cached, in the dialects whose vendors take money for it. */
const MARKS = ['"cache_control"', '"prompt_cache_breakpoint"']
const LONG_CACHE = /"ttl"\s*:\s*"1h"/
const TTL = new TextEncoder().encode('"ttl"')

/** What decides the rate of a call, by the body that was sent: a client may have its prompt cached for an hour, which costs more. */
export function circumstancesOf({ cacheWrite = 0 }: Usage, sent: Uint8Array): Circumstances {
  if (cacheWrite === 0) return {}
  const bytes = bufferOf(sent)
  for (let at = bytes.indexOf(TTL); at >= 0; at = bytes.indexOf(TTL, at + 1))
    if (LONG_CACHE.test(bytes.toString('latin1', at, at + 40))) return { longCache: true }
  return {}
}

/** May a vendor put this prompt into its cache because the client wants it to? */
export const isMarkedForCache = (sent: Uint8Array): boolean => {
  const bytes = bufferOf(sent)
  return MARKS.some(mark => bytes.includes(mark))
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)
