import { type ListenerAddress, listener } from 'deflector/facets/listener'
import type { Gateway } from '../../core/gateway.ts'

export type Address = ListenerAddress

/** Where the gateway listens: the first of its listeners. */
export function addressOf(gateway: Pick<Gateway, 'offers'>): Address | undefined {
  for (const bound of gateway.offers(listener).values()) {
    const address = bound()
    if (address) return address
  }
  return undefined
}

/** How a client on this machine reaches it: an address that means all of them becomes loopback. */
export function localUrl({ host, port }: Address): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}
