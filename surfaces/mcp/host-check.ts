import { type Call, hostNamed, hostOf, isBound, isLoopback } from 'deflector'

export interface Names {
  /** The address that is listened on. */
  readonly bound: string
  /** Further host names. */
  readonly allowed: readonly string[]
}

/**
 * Why a call is refused, if it is. The listener checks `Host` only while no gateway key is set and takes any address;
 * MCP is open without a key, so here a `Host` must be this machine's in any case.
 */
export function hostCheck({ bound, allowed }: Names): (headers: Call['headers']) => string | undefined {
  const names = new Set(allowed.map(hostNamed))
  return ({ host = '' }) => {
    const name = hostOf(host)
    if (name !== undefined && (isLoopback(name) || names.has(name) || isBound(name, bound))) return undefined
    return 'this Host is not served here; add it to mcp_allowed_hosts'
  }
}
