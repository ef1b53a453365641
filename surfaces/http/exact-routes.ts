import type { Call, Route } from 'deflector'
import { bare } from './path.ts'

/** Routes on one method and path, in the order in which they are asked. */
export interface RouteGroup {
  readonly method: string
  readonly path: string
  readonly routes: readonly Route[]
}

/** Gathers routes by method and path. One with a condition is asked before one that takes everything. */
export function routeGroups(routes: readonly Route[]): RouteGroup[] {
  const groups = new Map<string, { method: string; path: string; routes: Route[] }>()
  const spelled = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  for (const route of routes) {
    // A slash at the end means something only where there is a route without it, too.
    const isApart = !isExact(route.path) || spelled.has(`${route.method} ${bare(route.path)}`)
    const path = isApart ? route.path : bare(route.path)
    const key = `${route.method} ${path}`
    const group = groups.get(key) ?? { method: route.method, path, routes: [] }
    groups.set(key, group)
    group.routes.push(route)
  }
  for (const { routes: shared } of groups.values()) shared.sort((a, b) => Number(!a.when) - Number(!b.when))
  return [...groups.values()]
}

export const fitting = ({ routes }: RouteGroup, headers: Call['headers']): Route | undefined =>
  routes.find(({ when }) => !when || when(headers))

export const isExact = (path: string): boolean => !/[:*{}()\\]/.test(path)

/**
 * Exact paths, found by one look in a map. A router builds a context and walks its layers for each call, which costs
 * more than an exact hit itself.
 */
export class ExactRoutes {
  readonly #methods = new Map<string, Map<string, RouteGroup>>()

  constructor(shared: readonly RouteGroup[]) {
    for (const group of shared) {
      if (!isExact(group.path)) continue
      const paths = this.#methods.get(group.method) ?? new Map<string, RouteGroup>()
      this.#methods.set(group.method, paths.set(group.path, group))
    }
  }

  find(method: string, path: string): RouteGroup | undefined {
    return this.#methods.get(method)?.get(path)
  }
}
