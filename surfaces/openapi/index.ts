import { createRequire } from 'node:module'
import { defineSurface, sendJson } from 'deflector'
import { endpoints } from 'deflector/facets/endpoints'
import { routeTable } from 'deflector/facets/route-table'
import { z } from 'zod'
import { documentOf } from './document.ts'
import { clientEndpoints } from './endpoints/clients.ts'
import { configEndpoints } from './endpoints/config.ts'
import { providersEndpoints } from './endpoints/providers.ts'
import { requestsEndpoints } from './endpoints/requests.ts'
import { usageEndpoints } from './endpoints/usage.ts'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

export default defineSurface({
  name: 'openapi',
  summary: 'GET /openapi.json: every route of the gateway in OpenAPI 3.1, open to everybody',
  options: z.strictObject({}),
  apply(host) {
    host.offer(endpoints, [
      ...clientEndpoints,
      ...configEndpoints,
      ...providersEndpoints,
      ...requestsEndpoints,
      ...usageEndpoints,
    ])
    const offered = host.offers(endpoints)
    const tables = host.offers(routeTable)
    let document: object | undefined
    host.route('GET', '/openapi.json', call => {
      // The routes of a generation do not change once it serves.
      const routes = [...tables.values()].flatMap(table =>
        table.routes.map(route => ({ ...route, format: route.format ?? table.dialectOf(route.path) })),
      )
      document ??= documentOf(routes, [...offered.values()].flat(), version)
      sendJson(call, document)
    })
  },
})
