import { createRequire } from 'node:module'
import type { Route, RouteTable, SurfaceHost } from 'deflector'
import { z } from 'zod'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

/** One line for a person at the root: what this is, and where things are, as far as this pipeline has them. */
function signpost(routes: readonly Pick<Route, 'path'>[]): string {
  const places = [
    ...(routes.some(({ path }) => path === '/dashboard/') ? ['dashboard: /dashboard/'] : []),
    ...(routes.some(({ path }) => path === '/health') ? ['health: /health'] : []),
    ...(routes.some(({ path }) => path.startsWith('/v1/')) ? ['API: /v1'] : []),
    'docs: README.md of the npm package deflector',
  ]
  return `deflector ${version}, a prompt deflection gateway; ${places.join('; ')}\n`
}

/** For a person who opens the address in a browser, unless another surface has a page of its own there. */
export function offerSignpost(host: SurfaceHost, table: RouteTable): void {
  const { routes } = table
  if (routes.some(({ method, path }) => method === 'GET' && path === '/')) return
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  const line = signpost(routes)
  host.route('GET', '/', call => call.send(200, headers, line))
}
