import type { RouteTable, SurfaceHost } from 'deflector'
import { listener as bound } from 'deflector/facets/listener'
import { routeTable } from 'deflector/facets/route-table'
import { BrowserCheck } from './browser-check.ts'
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
  /** Which web pages may ask. By default those of this machine alone. */
  readonly browsers?: BrowserCheck
}

/**
 * Takes calls at an address, from this generation's start until it is replaced, and offers the facet `listener`. The
 * socket outlives a reload that leaves the address as it is.
 */
export function listen(host: SurfaceHost, listening: Listening): void {
  const { address, table = host.routes(), limits = {}, requestMs = 300_000 } = listening
  const { host: name, port } = address
  const { browsers = new BrowserCheck({ bound: name, corsOrigins: [], allowedHosts: [], keyed: false }) } = listening
  // Two surfaces that each ask for a free port must not share one.
  const listener = host.keep(
    `http:${name}:${port === 0 ? `free for ${host.name}` : port}`,
    () => new Listener(address, { requestMs, id: () => host.clock.id() }),
    kept => kept.close(LAST_BYTES),
  )
  // Which socket is this surface's now: a reload may have moved it to another port.
  const current = host.keep(`http:${host.name}`, (): { listener?: Listener } => ({}))
  host.offer(bound, () => current.listener?.address())
  host.offer(routeTable, table)
  let dispatch: Dispatch | undefined
  host.onStart(async () => {
    dispatch = dispatcher(host, { table, limits, browsers })
    await listener.listen(current.listener?.address())
  })
  host.onReady(() => {
    if (!dispatch) return
    listener.dispatch = dispatch
    listener.requestMs = requestMs
    const before = current.listener
    current.listener = listener
    if (before === listener) return
    void before?.retire()
    host.log.info('listening', { ...listener.address() })
  })
  host.onDispose(async () => {
    // Another generation's dispatch there means that this one was replaced, and the socket goes on.
    if (dispatch && listener.dispatch === dispatch) await listener.close(LAST_BYTES)
  })
}
