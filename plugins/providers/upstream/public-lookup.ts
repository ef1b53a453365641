import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivate } from 'deflector'

/** Addresses that mean this machine, or no place, beside the private ones. */
export const isPublic = (address: string): boolean => !isPrivate(address) && !/^(?:0\.|::$|::ffff:0)/i.test(address)

/**
 * Resolves names as `dns.lookup` does, and refuses those that lead into a private network. The connection is made to the
 * very addresses that were checked, so that a name cannot change its mind in between.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 4)
    const [first] = addresses
    if (!first || !addresses.every(({ address }) => isPublic(address)))
      return callback(Object.assign(new Error('the name leads to a private address'), { code: 'EPRIVATE' }), '', 4)
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
