import type { Route } from 'deflector'
import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'
import { ErrorSchemas, type NamedDialect } from './error-schemas.ts'
import { responsesOf } from './responses.ts'

const SECURED = [{ key: [] }, { bearer: [] }]
/** A key is asked for where keys are configured. */
const WITH_OR_WITHOUT = [...SECURED, {}]

/** As much of a route as the document tells. */
export interface DescribedRoute extends Pick<Route, 'method' | 'path' | 'by' | 'admin'> {
  /** Of its errors. */
  readonly format?: NamedDialect | undefined
}

/** An OpenAPI 3.1 document of these routes. What an endpoint says of itself is used; others are there by path alone. */
export function documentOf(
  routes: readonly DescribedRoute[],
  endpoints: readonly Endpoint[],
  version: string,
): Record<string, unknown> {
  const described = new Map(endpoints.map(one => [`${one.method} ${one.path}`, one]))
  const errors = new ErrorSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  // Routes of one path that look at headers are told apart by those: one of them speaks for all, but for their errors.
  for (const route of routes) {
    const { path, parameters } = templateOf(route.path)
    const operations = paths[path] ?? {}
    paths[path] = operations
    const asked = route.method === 'HEAD' ? 'GET' : route.method
    operations[route.method.toLowerCase()] ??= operationOf(
      route,
      parameters,
      described.get(`${asked} ${route.path}`),
      errorOf(
        routes.filter(one => one.method === route.method && one.path === route.path),
        errors,
      ),
    )
  }
  return {
    openapi: '3.1.0',
    info: { title: 'deflector', version, description: 'A prompt deflection gateway.', license: { name: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: errors.components,
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/** The errors of routes, in each dialect that one of them speaks. */
function errorOf(routes: readonly DescribedRoute[], errors: ErrorSchemas): object | undefined {
  const dialects = new Map(routes.flatMap(({ format, by }) => (format ? [[format.name ?? by, format] as const] : [])))
  const pointers = [...dialects].map(([name, format]) => errors.pointer(format, name))
  return pointers.length > 1 ? { anyOf: pointers } : pointers[0]
}

function operationOf(
  { method, path, by, admin }: DescribedRoute,
  parameters: readonly string[],
  endpoint: Endpoint | undefined,
  error: object | undefined,
): Record<string, unknown> {
  const body = endpoint?.body && { 'application/json': { schema: schemaOf(endpoint.body) } }
  return {
    // A path with a slash at its end may stand beside the one without.
    operationId: `${method.toLowerCase()} ${path.replace(/(?<=.)\/$/, '/index')}`
      .replaceAll(/\W+/g, '_')
      .replace(/_$/, ''),
    tags: [by],
    summary: endpoint?.summary ?? `${method} in the format of ${by}`,
    security: endpoint?.open ? [] : admin ? SECURED : WITH_OR_WITHOUT,
    parameters: [...parameters.map(inPath), ...queryOf(endpoint?.query)],
    ...(method === 'POST' && { requestBody: { content: body ?? { 'application/json': {} } } }),
    responses: responsesOf({ admin }, endpoint, error, schemaOf),
  }
}

const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })

function queryOf(query: z.ZodObject | undefined): object[] {
  const { properties = {}, required = [] } = query ? schemaOf(query) : {}
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

const schemaOf = (type: z.ZodType) => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { unrepresentable: 'any', io: 'input' })
  return schema
}

/** `/v1/models/*model\:generateContent` is `/v1/models/{model}:generateContent`. */
function templateOf(route: string): { readonly path: string; readonly parameters: readonly string[] } {
  const parameters: string[] = []
  const path = route.replaceAll(/\\(.)|[:*](\w+)/g, (_, escaped: string | undefined, name: string | undefined) => {
    if (name === undefined) return escaped ?? ''
    parameters.push(name)
    return `{${name}}`
  })
  return { path, parameters }
}
