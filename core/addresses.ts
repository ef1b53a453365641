import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** What is known of a host by its name alone. Names are taken with or without the brackets and the final dot of a URL. */

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

const PRIVATE = new BlockList()
PRIVATE.addSubnet('10.0.0.0', 8)
PRIVATE.addSubnet('127.0.0.0', 8)
PRIVATE.addSubnet('172.16.0.0', 12)
PRIVATE.addSubnet('192.168.0.0', 16)
PRIVATE.addSubnet('169.254.0.0', 16)
PRIVATE.addSubnet('100.64.0.0', 10)
PRIVATE.addAddress('::1', 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Endings of names that no public resolver knows. */
const PRIVATE_NAME = /\.(?:localhost|local|internal|lan|home\.arpa)$/
const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

const plain = (host: string): string => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return isIP(name) ? name.replace(/%.*$/, '') : name.replace(/\.$/, '')
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

export const isAddress = (host: string): boolean => isIP(plain(host)) !== 0

/** Only programs on this machine are there. */
export function isLoopback(host: string): boolean {
  const name = plain(host)
  return name === 'localhost' || name.endsWith('.localhost') || isIn(LOOPBACK, name)
}

/** Loopback, private and link-local addresses, and names that no public resolver knows. */
export function isPrivate(host: string): boolean {
  const name = plain(host)
  if (isIP(name) !== 0) return isIn(PRIVATE, name)
  return name !== '' && (!name.includes('.') || PRIVATE_NAME.test(name))
}

/** The bare host of `host[:port]`, as in a `Host` header; addresses in one form. `undefined` for anything else. */
export function hostOf(authority: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(authority)) return undefined
  try {
    return plain(new URL(`http://${authority}`).hostname)
  } catch {
    return undefined
  }
}

/** One form of a name as people write it into settings: an address may lack its brackets, a name may have a port. */
export const hostNamed = (name: string): string | undefined => hostOf(isIP(name) === 6 ? `[${name}]` : name)

/**
 * Is `host` the address that is listened on? One that means every address is any of this machine's; those are looked up
 * anew, because a machine changes networks.
 */
export function isBound(host: string, bound: string): boolean {
  const name = plain(host)
  if (name === hostNamed(bound)) return true
  if (!ANY_ADDRESS.has(bound)) return false
  return Object.values(networkInterfaces()).some(at => at?.some(({ address }) => hostNamed(plain(address)) === name))
}

/** Is this `Origin` a page of `host[:port]`? Compared without the scheme, which a proxy that speaks TLS for us changes. */
export function isSameHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const theirs = new URL(origin)
  const ours = `${theirs.protocol}//${host}`
  return theirs.host !== '' && URL.canParse(ours) && new URL(ours).host === theirs.host
}
