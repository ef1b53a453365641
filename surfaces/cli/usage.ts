import { z } from 'zod'
import { usd } from '../../ui-tui/figures.ts'
import { table } from '../../ui-tui/text-table.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'
import { CommandError } from './failure.ts'

/** By what `stats --usage` sums up in place of day and model. */
const DIMENSIONS = ['principal', 'key', 'model', 'tag', 'tool', 'layer'] as const
type Dimension = (typeof DIMENSIONS)[number]

export interface UsageOptions extends AdminOptions {
  /** A whole number; without it the window of the gateway's settings. */
  readonly hours?: string
  readonly by?: Dimension
  /** As `by: 'tool'`. */
  readonly byTool?: boolean
  readonly json?: boolean
}

/** `null`: no price is known. */
const dollars = z.number().nullable()
const sums = z.looseObject({
  total_tokens: z.number(),
  requests_total: z.number(),
  deflected_total: z.number(),
  estimated_cost_usd: dollars,
  estimated_saved_cost_usd: dollars,
})
const daily = sums.extend({ day: z.string(), provider: z.string(), model: z.string() })
const limits = z.array(z.looseObject({ action: z.string(), lines: z.array(z.string()) }))
const breakdown = z.looseObject({ window_hours: z.number(), rows: z.array(sums), quota_status: limits })
const usage = z.looseObject({
  window_hours: z.number(),
  retention_days: z.number(),
  total_requests: z.number(),
  total_deflected_requests: z.number(),
  total_prompt_tokens: z.number(),
  total_completion_tokens: z.number(),
  estimated_cost_usd: dollars,
  estimated_saved_cost_usd: dollars,
  deflection_rate: z.number(),
  unpriced: z.number(),
  estimated: z.number(),
  entries: z.array(daily),
})
type Breakdown = z.output<typeof breakdown>

/** `deflector stats --usage`: what requests cost and what deflections saved, by day and model or by one thing, and limits. */
export async function usageStats(options: UsageOptions): Promise<void> {
  const { hours, byTool, json } = options
  const by = options.by ?? (byTool ? 'tool' : undefined)
  if (hours !== undefined && !/^[1-9]\d{0,8}$/.test(hours))
    throw new CommandError('--hours: must be a whole number of hours, 1 or more')
  const query = new URLSearchParams({ ...(by && { by }), ...(hours !== undefined && { hours }) })
  const ask = <T>(shape: z.ZodType<T>, path: string) =>
    askAdmin(options, shape, { path: `${path}?${query}`, surface: 'usage' })
  const parts = await ask(breakdown, '/api/admin/usage/breakdown')
  const whole = by ? undefined : await ask(usage, '/debug/usage')
  if (json) {
    const found = whole ? { ...whole, quota_status: parts.quota_status } : parts
    process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
    return
  }
  const lines = [
    ...(whole ? linesOf(whole) : by ? partLines(by, parts) : []),
    ...windowLines(hours, parts.window_hours),
    ...limitLines(parts),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** What no request had, where there are others that do not count. */
const MISSING: Partial<Record<Dimension, string>> = { tag: ' with a tag', key: ' with a key of a vendor' }

/** A principal is a key of this gateway, a key one of a vendor. */
function partLines(by: Dimension, { window_hours, rows }: Breakdown): string[] {
  const head = `last ${window_hours} hours:`
  if (rows.length === 0) return [`${head} no requests${MISSING[by] ?? ''}`]
  const columns = by === 'model' ? ['provider', 'model'] : [by]
  const cells = rows.map(row => [...columns.map(column => String(row[column] ?? '')), ...sumCells(row)])
  return [head, ...table([[...columns, ...HEAD.slice(3)], ...cells], [0, columns.length - 1])]
}

function linesOf(found: z.output<typeof usage>): string[] {
  const { total_requests: all, total_deflected_requests: deflected, deflection_rate: rate, entries } = found
  return [
    `last ${found.window_hours} hours: ${all} requests, ${deflected} deflected (${(100 * rate).toFixed(1)} %)`,
    `cost ${usd(found.estimated_cost_usd)}, saved ${usd(found.estimated_saved_cost_usd)}`,
    `tokens: ${found.total_prompt_tokens} sent, ${found.total_completion_tokens} received`,
    ...(found.unpriced > 0 ? [`without ${found.unpriced} calls or deflections whose price is unknown`] : []),
    ...(found.estimated > 0 ? [`with ${found.estimated} calls or deflections whose tokens are guessed`] : []),
    ...(entries.length === 0 ? [] : ['', ...table([HEAD, ...entries.map(rowOf)], [0, 1, 2])]),
  ]
}

/** The gateway has no more than it keeps. */
const windowLines = (asked: string | undefined, hours: number): string[] =>
  asked === undefined || Number(asked) <= hours
    ? []
    : ['', `usage_retention_days keeps no more than ${hours} hours; ${asked} were asked for`]

const limitLines = ({ quota_status }: Breakdown): string[] => {
  const lines = quota_status.flatMap(({ action, lines }) => lines.map(line => `  ${line} (${action})`))
  return lines.length === 0 ? [] : ['', 'limits:', ...lines]
}

const HEAD = ['day', 'provider', 'model', 'requests', 'deflected', 'tokens', 'cost', 'saved']

const rowOf = (entry: z.output<typeof daily>): string[] => [entry.day, entry.provider, entry.model, ...sumCells(entry)]

const sumCells = (entry: z.output<typeof sums>): string[] => [
  `${entry.requests_total}`,
  `${entry.deflected_total}`,
  `${entry.total_tokens}`,
  usd(entry.estimated_cost_usd),
  usd(entry.estimated_saved_cost_usd),
]
