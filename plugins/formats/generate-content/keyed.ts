import type { Call } from 'deflector'
import { withMembers } from './other-call.ts'

/** The two places where a flow looks for the gateway's key. */
const PLACES = ['x-api-key', 'authorization'] as const

/**
 * The call with the gateway's key where the flow looks for it: clients of this dialect send a key as `x-goog-api-key`, or
 * as `?key=` in the URL. What a client put there itself stays.
 */
export function keyed(call: Call): Call {
  const given = [call.headers['x-goog-api-key'], call.query.get('key')].filter(key => key?.trim())
  const free = PLACES.filter(name => call.headers[name] === undefined)
  if (given.length === 0 || free.length === 0) return call
  const headers = { ...call.headers }
  for (const [i, name] of free.entries()) {
    const key = given[i]
    if (key) headers[name] = name === 'authorization' ? `Bearer ${key}` : key
  }
  return withMembers(call, { headers })
}
