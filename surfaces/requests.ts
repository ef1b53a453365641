import { type Call, defineSurface, GatewayError, type SurfaceHost, sendJson } from 'deflector'
import { type RequestHistory, type RequestQuery, requestHistory } from 'deflector/facets/request-history'
import { checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

const query = z.object({
  limit: z.coerce.number('must be a number').int('must be whole').min(1, 'must be at least 1').max(1000).default(100),
  q: z.string().min(1).max(200).optional(),
  layer: z.string().min(1).max(40).optional(),
  status: z.coerce.number('must be a status, or its first digit').int().min(1).max(599).optional(),
})

export default defineSurface({
  name: 'requests',
  needsFlow: true,
  summary: 'GET /api/admin/requests and /api/admin/requests/{id}: the last requests, and the way of one',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    host.route('GET', '/api/admin/requests', list, options)
    host.route('GET', '/api/admin/requests/:id', find, options)

    async function list(call: Call): Promise<void> {
      const { limit, q, layer, status } = checked(query, Object.fromEntries(call.query))
      const wanted: RequestQuery = { limit, text: q, layer, status }
      const history = inOrder(host)[0]
      sendJson(call, {
        enabled: history?.path !== undefined,
        source: sourceOf(history),
        log_path: history?.path ?? null,
        entries: (await history?.list(wanted)) ?? [],
      })
    }

    async function find(call: Call): Promise<void> {
      const { id = '' } = call.params
      for (const history of inOrder(host)) {
        const entry = await history.find(id)
        if (entry) return sendJson(call, { source: sourceOf(history), ...entry })
      }
      throw new GatewayError('not_found', NOT_KEPT)
    }
  },
})

const NOT_KEPT =
  'no request of this id is kept: the last ones are kept in memory, and older ones only in the log of enable_request_logs'

/** Files come first: they hold bodies, and what was before the last start. */
const inOrder = ({ offers }: SurfaceHost): readonly RequestHistory[] =>
  [...offers(requestHistory).values()].sort((a, b) => Number(b.path !== undefined) - Number(a.path !== undefined))

const sourceOf = (history: RequestHistory | undefined): string =>
  history?.path === undefined ? (history ? 'memory' : 'none') : 'request_log'
