import { z } from 'zod'
import { table } from '../../ui-tui/text-table.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'
import { CommandError } from './failure.ts'
import { type RequestFilters, requestFilters } from './request-filters.ts'

export interface LogsOptions extends AdminOptions, RequestFilters {
  readonly requests?: boolean
  readonly limit: string
  readonly query?: string
  readonly json?: boolean
}

/** Of the endpoint, where entries come with all that is known of them. */
const MOST = 1_000

const entry = z.looseObject({
  timestamp: z.string(),
  request_id: z.string(),
  path: z.string().nullable().default(null),
  tool: z.string().default('unknown'),
  principal: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  final_layer: z.string(),
  status: z.number().optional(),
  response_status: z.number().optional(),
  latency_ms: z.number(),
})
const found = z.object({ source: z.string(), log_path: z.string().nullable(), entries: z.array(entry) })

/** `deflector logs`: the last requests of the running gateway, from its request log or its memory. */
export async function logs(options: LogsOptions): Promise<void> {
  const { limit, query } = options
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MOST)
    throw new CommandError(`--limit: must be a whole number from 1 to ${MOST}`)
  const wanted = new URLSearchParams({ limit, ...(query !== undefined && { q: query }), ...requestFilters(options) })
  const { source, log_path, entries } = await askAdmin(options, found, {
    path: `/api/admin/requests?${wanted}`,
    surface: 'requests',
  })
  if (options.json) {
    process.stdout.write(`${JSON.stringify(entries, null, 2)}\n`)
    return
  }
  const from = log_path ?? 'memory; enable_request_logs keeps more of them, with their bodies'
  const rows = entries.map(one => [
    one.timestamp.replace('T', ' ').replace(/\.\d+Z$/, ''),
    one.request_id,
    one.final_layer,
    `${one.response_status ?? one.status ?? ''}`,
    `${one.latency_ms.toFixed(0)} ms`,
    one.principal ?? '-',
    one.tool,
    one.model ?? '-',
    one.path ?? '-',
  ])
  const head = ['time (UTC)', 'request', 'layer', 'status', 'took', 'key', 'tool', 'model', 'path']
  const lines = entries.length === 0 ? ['no such request'] : table([head, ...rows], [0, 1, 2, 5, 6, 7, 8])
  process.stdout.write(
    `${lines.join('\n')}\n(from ${source === 'none' ? 'nowhere: no observer keeps requests' : from})\n`,
  )
}
