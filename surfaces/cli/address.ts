import { type ListenerAddress, listener } from 'deflector/facets/listener'
import type { Gateway } from '../../core/gateway.ts'

export type Address = ListenerAddress

/** The address of the gateway's first listener. */
export function addressOf(gateway: Pick<Gateway, 'offers'>): Address | undefined {
  for (const bound of gateway.offers(listener).values()) {
    const address = bound()
    if (address) return address
  }
  return undefined
}

/** The URL for clients on this machine; a wildcard address becomes loopback. */
export function localUrl({ host, port }: Address): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}
