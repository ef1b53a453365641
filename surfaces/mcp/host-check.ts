import { networkInterfaces } from 'node:os'
import type { Call } from 'deflector'

export interface Names {
  /** The address that is listened on. */
  readonly bound: string
  /** Further host names. */
  readonly allowed: readonly string[]
}

/**
 * Why a call is refused, if it is. Everybody may speak MCP here without a key, so a web page must not: neither one of
 * another site (`Origin`), nor one whose name its owner points at this machine (`Host`).
 */
export function hostCheck({ bound, allowed }: Names): (headers: Call['headers']) => string | undefined {
  const names = new Set([bound, ...allowed].map(name => nameOf(bracketed(name))))
  const anyAddress = bound === '0.0.0.0' || bound === '::'
  const isOurs = (name: string): boolean =>
    isLoopback(name) || names.has(name) || (anyAddress && ownAddresses().includes(name))

  return ({ host = '', origin }) => {
    const name = nameOf(host)
    if (name === undefined || !isOurs(name)) return 'this Host is not served here; add it to mcp_allowed_hosts'
    if (origin === undefined) return undefined
    const from = /^https?:\/\/(.*)$/i.exec(origin)?.[1]
    const page = from === undefined ? undefined : nameOf(from)
    if (page === undefined || !isOurs(page)) return 'this Origin may not ask here; add its host to mcp_allowed_hosts'
    return undefined
  }
}

/** The bare name of `name[:port]`, as URLs write it: lower case, addresses in one form. `undefined` for anything else. */
function nameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined
  try {
    return new URL(`http://${host}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

const bracketed = (name: string): string => (/^[\da-f]*:[\da-f:.]*$/i.test(name) ? `[${name}]` : name)

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name)

/** Asked anew, because a machine changes networks. An address cannot be pointed anywhere else, as a name can. */
const ownAddresses = (): (string | undefined)[] =>
  Object.values(networkInterfaces()).flatMap(at => (at ?? []).map(({ address }) => nameOf(bracketed(address))))
