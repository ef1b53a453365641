import { type Call, defineSurface, GatewayError, type SurfaceHost, sendJson, writeLargeJson } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy } from 'deflector/facets/cache-why'
import { type RequestEntry, type RequestHistory, requestHistory } from 'deflector/facets/request-history'
import { stepWords } from 'deflector/facets/step-words'
import { badRequest, checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

/** Most entries with all that is known of them, and most that are brief. */
const MOST = 1_000
const MOST_BRIEF = 10_000

const name = z.string().min(1).max(200).optional()

const query = z.object({
  limit: z.coerce
    .number('must be a number')
    .int('must be whole')
    .min(1, 'must be at least 1')
    .max(MOST_BRIEF, `must be at most ${MOST_BRIEF}`)
    .default(100),
  q: z.string().min(1).max(200).optional(),
  layer: z.string().min(1).max(40).optional(),
  status: z.coerce.number('must be a status, or its first digit').int().min(1).max(599).optional(),
  client: name,
  tool: name,
  model: name,
  key: name,
  tag: name,
  brief: z.enum(['true', 'false'], 'must be true or false').default('false'),
})

export default defineSurface({
  name: 'requests',
  needsFlow: true,
  summary: 'GET /api/admin/requests and /api/admin/requests/{id}: the last requests, and the way of one',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const readers = host.offers(stepWords, 'layer')
    const caches = [host.offers(cacheControls, 'layer'), host.offers(cacheWhy, 'layer')]
    host.route('GET', '/api/admin/requests', list, options)
    host.route('GET', '/api/admin/requests/:id', find, options)

    async function list(call: Call): Promise<void> {
      const { q: text, brief, ...wanted } = checked(query, Object.fromEntries(call.query))
      const isBrief = brief === 'true'
      if (!isBrief && wanted.limit > MOST) throw badRequest('limit', `must be at most ${MOST}, unless brief is true`)
      const history = inOrder(host)[0]
      const entries = (await history?.list({ ...wanted, text })) ?? []
      const body = await writeLargeJson({
        enabled: history?.path !== undefined,
        source: sourceOf(history),
        log_path: history?.path ?? null,
        entries: isBrief ? entries.map(briefly) : entries,
      })
      call.send(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }, body)
    }

    async function find(call: Call): Promise<void> {
      const { id = '' } = call.params
      for (const history of inOrder(host)) {
        const entry = await history.find(id)
        if (entry) return sendJson(call, { source: sourceOf(history), ...entry, ...explained(entry) })
      }
      throw new GatewayError('not_found', NOT_KEPT)
    }

    /** The steps of an entry, each with what its layer says of it, where that layer is there still. */
    function explained(entry: RequestEntry): RequestEntry {
      const { trail } = noted.safeParse(entry).data ?? {}
      if (!trail) return {}
      const attempts = attemptNumbers(trail)
      const explain = (step: NotedStep, at: number) => ({
        ...step,
        ...(attempts[at] !== undefined && { attempt: attempts[at] }),
        ...(caches.some(named => named.has(step.layer)) && { cache: true }),
        ...readers.get(step.layer)?.(step.outcome),
      })
      return { trail: trail.map(explain) }
    }
  },
})

const notedStep = z.looseObject({ hook: z.string().optional(), layer: z.string(), outcome: z.string() })
type NotedStep = z.output<typeof notedStep>
const noted = z.object({ trail: z.array(notedStep) })

/** Which vendor attempt each step belongs to, where there were several. Each begins with the same layer. */
function attemptNumbers(trail: readonly NotedStep[]): readonly (number | undefined)[] {
  const first = trail.find(({ hook }) => hook === 'attempt')?.layer
  let count = 0
  const numbers = trail.map(({ hook, layer }) => {
    if (hook !== 'attempt') return undefined
    if (layer === first) count++
    return count
  })
  return count > 1 ? numbers : []
}

/** An entry without what is long: what it says of the request in one line. */
function briefly(entry: RequestEntry): RequestEntry {
  const brief: Record<string, unknown> = {}
  for (const member of BRIEF) brief[member] = entry[member] ?? null
  brief.status = entry.response_status ?? entry.status ?? null
  return brief
}
const BRIEF = [
  'request_id',
  'timestamp',
  'kind',
  'path',
  'surface',
  'client',
  'tool',
  'principal',
  'tags',
  'model',
  'provider',
  'final_layer',
  'deflected',
  'status',
  'error',
  'latency_ms',
  'cost_usd',
  'saved_cost_usd',
  'saved_tokens',
] as const

const NOT_KEPT =
  'no request of this id is kept: the last ones are kept in memory, and older ones only in the log of enable_request_logs'

/** Files come first: they hold bodies, and what was before the last start. */
const inOrder = ({ offers }: SurfaceHost): readonly RequestHistory[] =>
  [...offers(requestHistory).values()].sort((a, b) => Number(b.path !== undefined) - Number(a.path !== undefined))

const sourceOf = (history: RequestHistory | undefined): string =>
  history?.path === undefined ? (history ? 'memory' : 'none') : 'request_log'
