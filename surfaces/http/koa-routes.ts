import type { IncomingMessage, ServerResponse } from 'node:http'
import Router from '@koa/router'
import type { Route } from 'deflector'
import Koa from 'koa'
import type { HttpCall } from './call.ts'
import { fitting, isExact, type RouteGroup } from './exact-routes.ts'

export interface Ends {
  /** A route takes the call. */
  take(call: HttpCall, route: Route): Promise<void>
  /** No route does. `allowed` are the methods that the path knows; empty: the path is unknown. */
  lose(call: HttpCall, allowed: readonly string[]): void
}

/** Calls that fit no exact route go through Koa: parameters, HEAD, 404, 405, OPTIONS. */
export function koaRoutes(shared: readonly RouteGroup[], { take, lose }: Ends): (call: HttpCall) => void {
  const calls = new WeakMap<IncomingMessage, HttpCall>()
  const callOf = (request: IncomingMessage): HttpCall => {
    const call = calls.get(request)
    if (!call) throw new Error('Koa was handed a request that no call belongs to')
    return call
  }
  const router = new Router()
  // An exact path beats one with parameters, as it does among the exact routes.
  for (const group of shared.toSorted((a, b) => Number(isExact(b.path)) - Number(isExact(a.path)))) {
    router.register(group.path, [group.method], async (ctx, next) => {
      const call = callOf(ctx.req)
      const route = fitting(group, call.headers)
      if (!route) return next()
      call.params = ctx.params
      return take(call, route)
    })
  }
  const app = new Koa()
  // We write to the socket ourselves; a client that left is no news here.
  app.on('error', () => {})
  app.use((ctx, next) => {
    ctx.respond = false
    return next()
  })
  app.use(router.routes())
  app.use(ctx => {
    const matched: readonly { readonly methods: readonly string[] }[] = ctx.matched ?? []
    lose(callOf(ctx.req), [...new Set(matched.flatMap(({ methods }) => methods))])
  })
  const koa: (request: IncomingMessage, response: ServerResponse) => Promise<void> = app.callback()
  return call => {
    calls.set(call.request, call)
    call.request.url = call.url
    void koa(call.request, call.response)
  }
}
