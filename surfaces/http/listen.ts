import type { RouteTable, SurfaceHost } from 'deflector'
import type { CallLimits } from './call.ts'
import { type Dispatch, dispatcher } from './dispatcher.ts'
import { type Address, Listener } from './listener.ts'

/** How long the last bytes may take when the gateway goes down, in milliseconds; calls were waited for before. */
const LAST_BYTES = 1_000

export interface Listening {
  readonly address: Address
  /** By default the routes of all surfaces. */
  readonly table?: RouteTable
  readonly limits?: Partial<CallLimits>
  /** Milliseconds in which a request, body included, has to be in; 0 waits for ever. */
  readonly requestMs?: number
  /** This generation has the listener from now on. */
  onReady?(listener: Listener): void
}

/**
 * Takes calls at an address, from this generation's start until it is replaced. The socket outlives a reload that
 * leaves the address as it is.
 */
export function listen(host: SurfaceHost, listening: Listening): void {
  const { address, table = host.routes(), limits = {}, requestMs = 300_000, onReady } = listening
  const { host: bound, port } = address
  // Two surfaces that each ask for a free port must not share one.
  const listener = host.keep(
    `http:${bound}:${port === 0 ? `free for ${host.name}` : port}`,
    () => new Listener(address, { requestMs, id: () => host.clock.id() }),
    kept => kept.close(LAST_BYTES),
  )
  let dispatch: Dispatch | undefined
  host.onStart(async () => {
    dispatch = dispatcher(host, { table, limits })
    await listener.listen()
  })
  host.onReady(() => {
    if (!dispatch) return
    listener.dispatch = dispatch
    onReady?.(listener)
  })
  host.onDispose(async () => {
    // Another generation's dispatch there means that this one was replaced, and the socket goes on.
    if (dispatch && listener.dispatch === dispatch) await listener.close(LAST_BYTES)
  })
}
