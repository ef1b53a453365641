import { isLoopback, isSameHost } from './addresses.ts'
import type { Call } from './call.ts'
import { GatewayError } from './errors.ts'
import type { Exchange } from './exchange.ts'

const READS = new Set(['GET', 'HEAD'])

/** Refuses a call to a route with `admin` that its flow admits, but that is not the operator's. */
export function checkAdmin(call: Call, { principal, mayAdminister }: Exchange): void {
  if (mayAdminister === false) {
    // Some flows admit calls without a key.
    if (principal === undefined) throw new GatewayError('unauthorized', 'only who has a gateway key may ask this')
    const missing = `"admin = true" for the key labelled "${principal}"`
    throw new GatewayError('forbidden', `this key may not administer the gateway; what is missing is ${missing}`)
  }
  if (READS.has(call.method)) return
  if (mayAdminister === undefined) refuseStrangers(call)
  refuseOtherPages(call)
}

/** Where there is no key, being on this machine is all that tells the operator from others. */
function refuseStrangers({ remote }: Call): void {
  if (!isLoopback(remote))
    throw new GatewayError('forbidden', 'without a gateway key only this machine may administer the gateway')
}

/** Stricter than elsewhere: no page but one of the very host that it asks. */
function refuseOtherPages({ headers: { origin, host = '' } }: Call): void {
  if (origin !== undefined && !isSameHost(origin, host))
    throw new GatewayError('forbidden', 'pages of other origins may not administer the gateway')
}
