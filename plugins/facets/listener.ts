import { facet } from 'deflector'

/** A bound port. It is real even where 0 was asked for. */
export interface PortAddress {
  readonly host: string
  readonly port: number
  readonly path?: never
}

/** A bound socket file. */
export interface SocketFileAddress {
  readonly path: string
  readonly host?: never
  readonly port?: never
}

/** Where a surface listens, whatever was asked for. */
export type ListenerAddress = PortAddress | SocketFileAddress

/** `undefined` until the socket is bound. */
export const listener = facet<() => ListenerAddress | undefined>('listener')
