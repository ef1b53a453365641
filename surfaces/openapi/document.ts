import type { Route } from 'deflector'
import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'

const SECURED = [{ key: [] }, { bearer: [] }]
/** A key is asked for where keys are configured. */
const WITH_OR_WITHOUT = [...SECURED, {}]

const ERROR = {
  description: 'A refusal or failure, in the dialect of the path',
  content: { 'application/json': { schema: { type: 'object' } } },
}

/** An OpenAPI 3.1 document of these routes. What an endpoint says of itself is used; others are there by path alone. */
export function documentOf(
  routes: readonly Pick<Route, 'method' | 'path' | 'by' | 'admin'>[],
  endpoints: readonly Endpoint[],
  version: string,
): Record<string, unknown> {
  const described = new Map(endpoints.map(one => [`${one.method} ${one.path}`, one]))
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const { path, parameters } = templateOf(route.path)
    const operations = paths[path] ?? {}
    paths[path] = operations
    // Routes of one path that look at headers are told apart by those; one of them speaks for all.
    operations[route.method.toLowerCase()] ??= operationOf(
      route,
      parameters,
      described.get(`${route.method} ${route.path}`),
    )
  }
  return {
    openapi: '3.1.0',
    info: { title: 'deflector', version, description: 'A prompt deflection gateway.', license: { name: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function operationOf(
  { method, path, by, admin }: Pick<Route, 'method' | 'path' | 'by' | 'admin'>,
  parameters: readonly string[],
  endpoint: Endpoint | undefined,
): Record<string, unknown> {
  const json = endpoint?.answer && { 'application/json': { schema: schemaOf(endpoint.answer) } }
  const content = endpoint?.stream ? { 'text/event-stream': {} } : json
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
    responses: {
      200: { description: 'The answer', ...(content && { content }) },
      ...(!endpoint?.open && { '4XX': ERROR, '5XX': ERROR }),
    },
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
