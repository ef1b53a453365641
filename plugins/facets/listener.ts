import { facet } from 'deflector'

/** Where a surface listens, whatever was asked for. `port` is real even where 0 was asked for. */
export interface ListenerAddress {
  readonly host: string
  readonly port: number
}

/** `undefined` until the socket is bound. */
export const listener = facet<() => ListenerAddress | undefined>('listener')
