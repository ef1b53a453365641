import { type ListenerAddress, listener, type PortAddress } from 'deflector/facets/listener'
import type { Gateway } from '../../core/gateway.ts'

export type Address = ListenerAddress

/** The address of the gateway's first listener on a port; without one, that of its first on a socket file. */
export function addressOf(gateway: Pick<Gateway, 'offers'>): Address | undefined {
  const addresses = [...gateway.offers(listener).values()].flatMap(bound => bound() ?? [])
  return addresses.find(({ port }) => port !== undefined) ?? addresses[0]
}

/** The URL for clients on this machine, or the path of a socket file as it is. */
export const addressText = (address: Address): string => address.path ?? localUrl(address)

/** The URL for clients on this machine; a wildcard address becomes loopback. */
export function localUrl({ host, port }: PortAddress): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}
