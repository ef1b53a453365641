import type { Endpoint } from 'deflector/facets/endpoints'
import type { z } from 'zod'

/** What each status means here. */
const MEANINGS: Readonly<Record<string, string>> = {
  400: 'The request is not valid, or the vendor calls it so',
  401: 'The gateway key is missing or wrong',
  403: 'This key may not do that, or a page of another site asks',
  404: 'What the request names is not there',
  406: 'The client does not take what the answer would be sent as',
  409: 'The request does not go with what holds now',
  413: 'The body is too large',
  415: 'The body is not sent as JSON',
  429: 'A quota, a limit of the key, or the vendor lets no request through now',
  502: 'No provider answered',
  503: 'Nothing may answer: the gateway is offline or drains, or a rule refuses',
  '4XX': 'The request is refused',
  '5XX': 'The request failed',
}

/** Where nobody described a route, it is one that clients have at vendors: it may say what a vendor says. */
const OF_VENDORS = [400, 404, 413, 429, 502, 503]

/** Sent along with a 429. */
const WAIT = {
  'Retry-After': { description: 'seconds until it is worth trying again, where known', schema: { type: 'integer' } },
}

/** Of a route: does only the operator ask it? */
export interface Asked {
  readonly admin?: boolean | undefined
}

/** The replies of an operation. `error` is the schema of its errors; a route that speaks no dialect has none. */
export function responsesOf(
  { admin }: Asked,
  endpoint: Endpoint | undefined,
  error: object | undefined,
  schemaOf: (type: z.ZodType) => object,
): Record<string, unknown> {
  const content = error && { content: { 'application/json': { schema: error } } }
  const refused = (status: string | number) => ({
    description: MEANINGS[status] ?? 'A refusal or failure',
    ...(status === 429 && { headers: WAIT }),
    ...content,
  })
  const answer = endpoint && contentOf(endpoint, schemaOf)
  return {
    200: { description: 'The answer', ...(answer && { content: answer }) },
    ...(endpoint?.accepted !== undefined && { 202: { description: endpoint.accepted } }),
    ...(endpoint?.empty !== undefined && { 204: { description: endpoint.empty } }),
    ...Object.fromEntries(statusesOf(admin, endpoint).map(status => [status, refused(status)])),
    ...(!endpoint?.open && { '4XX': refused('4XX'), '5XX': refused('5XX') }),
  }
}

function contentOf({ answer, stream, text }: Endpoint, schemaOf: (type: z.ZodType) => object): object | undefined {
  if (stream) return { 'text/event-stream': {} }
  if (text) return { 'text/plain': { schema: { type: 'string' } } }
  return answer && { 'application/json': { schema: schemaOf(answer) } }
}

function statusesOf(admin: boolean | undefined, endpoint: Endpoint | undefined): number[] {
  if (!endpoint) return [401, ...OF_VENDORS]
  const { open, query, body, refusals = [] } = endpoint
  const known = [
    ...(open ? [] : [401]),
    ...(admin ? [403] : []),
    ...(query || body ? [400] : []),
    ...(body ? [413] : []),
    ...(admin && body ? [415] : []),
    ...refusals,
  ]
  return [...new Set(known)].sort((a, b) => a - b)
}
