import { documentOf } from '../../surfaces/openapi/document.ts'
import { clientEndpoints } from '../../surfaces/openapi/endpoints/clients.ts'
import { configEndpoints } from '../../surfaces/openapi/endpoints/config.ts'
import { providersEndpoints } from '../../surfaces/openapi/endpoints/providers.ts'
import { requestsEndpoints } from '../../surfaces/openapi/endpoints/requests.ts'
import { usageEndpoints } from '../../surfaces/openapi/endpoints/usage.ts'
import { type OpenApi, typesOf } from './types.ts'

/** Where the types stand. */
export const TYPES = 'ui-web/src/api/endpoints.ts'

/** The types as the endpoints have them now. */
export function currentTypes(): string {
  const endpoints = [
    ...clientEndpoints,
    ...configEndpoints,
    ...providersEndpoints,
    ...requestsEndpoints,
    ...usageEndpoints,
  ]
  const routes = endpoints.map(({ method, path }) => ({ method, path, by: '' }))
  const document: unknown = documentOf(routes, endpoints, '')
  return typesOf(document as OpenApi)
}
