import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Call,
  type Clock,
  GatewayError,
  isGatewayError,
  type Log,
  type Route,
  type RouteTable,
  sendError,
  toGatewayError,
} from 'deflector'
import type { BrowserCheck } from './browser-check.ts'
import { type CallLimits, HttpCall } from './call.ts'
import { ExactRoutes, fitting, routeGroups } from './exact-routes.ts'
import { koaRoutes } from './koa-routes.ts'
import { bare } from './path.ts'

export type Dispatch = (request: IncomingMessage, response: ServerResponse, expectsContinue?: boolean) => void

interface Dispatching {
  readonly table: RouteTable
  readonly limits: CallLimits
  readonly browsers: BrowserCheck
  readonly log: Log
  readonly clock: Clock
  /** Its own name on the wire; see `Host.gateway`. */
  readonly gateway: string
  /** False while this generation is on its way out. */
  ready(): boolean
}

/** Errors where no surface has a dialect of its own. */
const PLAIN: NonNullable<Route['format']> = {
  encodeError: ({ code, message }) => ({ error: code, message }),
}

/** All calls of one generation: to their route, or to a refusal in the dialect of their path. */
export function dispatcher({ table, limits, browsers, log, clock, gateway, ready }: Dispatching): Dispatch {
  const shared = routeGroups(table.routes)
  const hot = new ExactRoutes(shared)

  const fail = (call: HttpCall, error: unknown, format = table.dialectOf(call.path) ?? PLAIN): void => {
    if (!isGatewayError(error) && !call.left) {
      log.error('a route failed', { request_id: call.id, path: call.path, ...told(error) })
    }
    if (!ready()) call.also.connection = 'close'
    if (call.begun) call.cut()
    else sendError(call, format, toGatewayError(error), 'l0')
  }
  const take = async (call: HttpCall, route: Route): Promise<void> => {
    try {
      await route.handle(call)
      if (!call.begun) throw new Error(`${route.method} ${route.path} ended without a reply`)
    } catch (error) {
      fail(call, error, route.format)
    }
  }
  const lose = (call: HttpCall, allowed: readonly string[]): void => {
    const { method, path } = call
    if (allowed.length > 0) call.also.allow = allowed.join(', ')
    if (allowed.length > 0 && method === 'OPTIONS') call.send(204, {})
    else if (allowed.length > 0 && !allowed.includes(method)) {
      const message = `${short(path)} takes ${allowed.join(', ')}, not ${method}`
      fail(call, new GatewayError('method_not_allowed', message))
    } else {
      const meant = `/v1${bare(path)}`
      const known = table.routes.some(route => route.path === meant)
      const hint = known ? `; did you mean ${meant}? The base URL then ends in /v1` : ''
      const error = new GatewayError('not_found', `nothing is at ${short(path)}${hint}`)
      fail(call, error, table.dialectOf(known ? meant : path))
    }
  }
  const cold = koaRoutes(shared, { take, lose })

  return (request, response, expectsContinue) => {
    const call = new HttpCall(clock.id(), request, response, limits, expectsContinue)
    const { headers, method } = call
    const group = hot.find(method, request.url ?? '/') ?? hot.find(method, bare(call.path))
    const route = group && fitting(group, headers)
    const refusal = browsers.refusal(call, route?.hosts)
    if (refusal) fail(call, refusal, route?.format)
    else if (browsers.answersPreflight(call)) return
    else if (headers['x-service-hop']?.includes(gateway)) fail(call, new GatewayError('loop', LOOP))
    else if (method === 'GET' && isWebSocket(headers)) refuseUpgrade(call)
    else if (route) void take(call, route)
    else cold(call)
  }
}

const LOOP = 'this request came through this gateway already; one of the providers points back at it'

const isWebSocket = (headers: Call['headers']): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** Clients that try a WebSocket first take this at once as "use plain HTTP". */
function refuseUpgrade(call: HttpCall): void {
  call.also.connection = 'close'
  const body = { error: 'upgrade_required', message: 'WebSocket is not spoken here; send the request over plain HTTP' }
  call.send(426, { 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))
}

const short = (path: string): string => (path.length > 120 ? `${path.slice(0, 120)}…` : path)

/** What a log may say of an error nobody foresaw. A parser's message can quote the body, so that one stays out. */
function told(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const where = error.stack
    ?.split('\n')
    .filter(line => line.startsWith('    at '))
    .slice(0, 4)
    .map(line => line.trim())
  return { error: error.name, ...(!(error instanceof SyntaxError) && { message: error.message }), where }
}
