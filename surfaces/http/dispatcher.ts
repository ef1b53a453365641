import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Call,
  GatewayError,
  isGatewayError,
  type Route,
  type RouteTable,
  type SurfaceHost,
  sendError,
  sendJson,
  toGatewayError,
  UNDECIDED,
  unforeseen,
} from 'deflector'
import type { BrowserCheck } from './browser-check.ts'
import { type CallLimits, DEFAULT_LIMITS, HttpCall } from './call.ts'
import { ExactRoutes, fitting, routeGroups } from './exact-routes.ts'
import { koaRoutes } from './koa-routes.ts'
import { short } from './path.ts'
import { isUnknownVerb, unknownEndpoint } from './unknown-endpoint.ts'

export type Dispatch = (request: IncomingMessage, response: ServerResponse, expectsContinue?: boolean) => void

export interface Dispatching {
  /** By default the routes of all surfaces. */
  readonly table?: RouteTable
  /** Where one is not given it is as in `DEFAULT_LIMITS`. */
  readonly limits?: Partial<CallLimits>
  /** Which web pages may ask. Absent: all, for a listener that no browser can reach. */
  readonly browsers?: BrowserCheck | undefined
  /** Which client its calls are from, of a listener that stands in for vendors. */
  readonly proxied?: string
}

/** Errors where no surface has a dialect of its own. */
const PLAIN: NonNullable<Route['format']> = {
  encodeError: ({ code, message }) => ({ error: code, message }),
}

/**
 * All calls of one generation: to their route, or to a refusal in the dialect of their path. It takes requests of any
 * server of Node's. Made in `onStart`, when all surfaces have offered their routes.
 */
export function dispatcher(
  host: SurfaceHost,
  { table = host.routes(), browsers, proxied, ...given }: Dispatching = {},
): Dispatch {
  const { log, clock, gateway } = host
  const limits = { ...DEFAULT_LIMITS, ...given.limits }
  const groups = routeGroups([...table.routes, ...PROBES])
  const exactRoutes = new ExactRoutes(groups)

  const fail = (call: HttpCall, error: unknown, format = table.dialectOf(call.path) ?? PLAIN): void => {
    if (!host.status().ready) call.also.connection = 'close'
    if (call.begun) call.cut()
    else sendError(call, format, toGatewayError(error), UNDECIDED)
  }
  const take = async (call: HttpCall, route: Route): Promise<void> => {
    try {
      await route.handle(call)
      if (!call.begun) throw new Error(`${route.method} ${route.path} ended without a reply`)
    } catch (error) {
      if (!isGatewayError(error) && !call.left) {
        const { by: instance, file } = route
        log.error('a route failed', { request_id: call.id, path: call.path, instance, file, ...unforeseen(error) })
      }
      fail(call, error, route.format)
    }
  }
  const lose = (call: HttpCall, methods: readonly string[]): void => {
    const { method, path } = call
    const allowed = isUnknownVerb(method, path, table) ? [] : methods
    if (allowed.length > 0) call.also.allow = allowed.join(', ')
    if (allowed.length > 0 && method === 'OPTIONS') call.send(204, {})
    else if (allowed.length > 0 && !allowed.includes(method)) {
      const message = `${short(path)} takes ${allowed.join(', ')}, not ${method}`
      fail(call, new GatewayError('method_not_allowed', message))
    } else {
      const { message, dialect } = unknownEndpoint(path, table)
      fail(call, new GatewayError('unknown_endpoint', message), dialect)
    }
  }
  const viaKoa = koaRoutes(groups, { take, lose })

  return (request, response, expectsContinue) => {
    const call = new HttpCall(clock.id(), request, response, limits, expectsContinue, proxied)
    const { headers, method } = call
    const group = exactRoutes.find(method, request.url ?? '/') ?? exactRoutes.find(method, call.path)
    const route = group && fitting(group, headers)
    const refusal = browsers?.refusal(call, route?.hosts)
    if (refusal) fail(call, refusal, route?.format)
    else if (browsers?.answersPreflight(call)) return
    else if (headers['x-service-hop']?.includes(gateway)) fail(call, new GatewayError('loop', LOOP))
    else if (method === 'GET' && isWebSocket(headers)) refuseUpgrade(call)
    else if (route) void take(call, route)
    else viaKoa(call)
  }
}

/** Command line clients look whether anybody is at home before they begin. */
const PROBES: readonly Route[] = ['/', '/api/hello'].map(path => ({
  method: 'HEAD',
  path,
  by: 'http',
  handle: call => call.send(200, {}),
}))

const LOOP = 'this request came through this gateway already; one of the providers points back at it'

const isWebSocket = (headers: Call['headers']): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** Clients that try a WebSocket first take this at once as "use plain HTTP". */
function refuseUpgrade(call: HttpCall): void {
  call.also.connection = 'close'
  const body = { error: 'upgrade_required', message: 'WebSocket is not spoken here; send the request over plain HTTP' }
  sendJson(call, body, { status: 426 })
}
