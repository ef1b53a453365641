import { z } from 'zod'
import { table } from '../../ui-tui/text-table.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'
import { CommandError } from './failure.ts'

export interface UsageOptions extends AdminOptions {
  /** A whole number; without it the window of the gateway's settings. */
  readonly hours?: string
  /** By client tool in place of day and model. */
  readonly byTool?: boolean
  readonly json?: boolean
}

/** `null`: no price is known. */
const usd = z.number().nullable()
const sums = z.looseObject({
  total_tokens: z.number(),
  requests_total: z.number(),
  deflected_total: z.number(),
  estimated_cost_usd: usd,
  estimated_saved_cost_usd: usd,
})
const daily = sums.extend({ day: z.string(), provider: z.string(), model: z.string() })
const breakdown = z.looseObject({ window_hours: z.number(), rows: z.array(sums.extend({ tool: z.string() })) })
const usage = z.looseObject({
  window_hours: z.number(),
  total_requests: z.number(),
  total_deflected_requests: z.number(),
  total_prompt_tokens: z.number(),
  total_completion_tokens: z.number(),
  estimated_cost_usd: usd,
  estimated_saved_cost_usd: usd,
  deflection_rate: z.number(),
  unpriced: z.number(),
  estimated: z.number(),
  entries: z.array(daily),
})

/** `deflector stats --usage`: what requests cost and what deflections saved, by day and model, or by tool. */
export async function usageStats(options: UsageOptions): Promise<void> {
  const { hours, byTool, json } = options
  if (hours !== undefined && !/^[1-9]\d{0,8}$/.test(hours))
    throw new CommandError('--hours: must be a whole number of hours, 1 or more')
  const query = new URLSearchParams({ ...(byTool && { by: 'tool' }), ...(hours !== undefined && { hours }) })
  const ask = <T>(shape: z.ZodType<T>, path: string) =>
    askAdmin(options, shape, { path: `${path}?${query}`, surface: 'usage' })
  const text = (found: object, lines: readonly string[]) => (json ? JSON.stringify(found, null, 2) : lines.join('\n'))
  if (byTool) {
    const found = await ask(breakdown, '/api/admin/usage/breakdown')
    process.stdout.write(`${text(found, toolLines(found))}\n`)
  } else {
    const found = await ask(usage, '/debug/usage')
    process.stdout.write(`${text(found, linesOf(found))}\n`)
  }
}

function toolLines({ window_hours, rows }: z.output<typeof breakdown>): string[] {
  const head = `last ${window_hours} hours:`
  if (rows.length === 0) return [`${head} no requests`]
  return [head, ...table([['tool', ...HEAD.slice(3)], ...rows.map(row => [row.tool, ...sumCells(row)])])]
}

function linesOf(found: z.output<typeof usage>): string[] {
  const { total_requests: all, total_deflected_requests: deflected, deflection_rate: rate, entries } = found
  return [
    `last ${found.window_hours} hours: ${all} requests, ${deflected} deflected (${(100 * rate).toFixed(1)} %)`,
    `cost ${money(found.estimated_cost_usd)}, saved ${money(found.estimated_saved_cost_usd)}`,
    `tokens: ${found.total_prompt_tokens} sent, ${found.total_completion_tokens} received`,
    ...(found.unpriced > 0 ? [`without ${found.unpriced} calls or deflections whose price is unknown`] : []),
    ...(found.estimated > 0 ? [`with ${found.estimated} calls or deflections whose tokens are guessed`] : []),
    ...(entries.length === 0 ? [] : ['', ...table([HEAD, ...entries.map(rowOf)], [0, 1, 2])]),
  ]
}

const HEAD = ['day', 'provider', 'model', 'requests', 'deflected', 'tokens', 'cost', 'saved']

const rowOf = (entry: z.output<typeof daily>): string[] => [entry.day, entry.provider, entry.model, ...sumCells(entry)]

const sumCells = (entry: z.output<typeof sums>): string[] => [
  `${entry.requests_total}`,
  `${entry.deflected_total}`,
  `${entry.total_tokens}`,
  money(entry.estimated_cost_usd),
  money(entry.estimated_saved_cost_usd),
]

const money = (amount: number | null): string => (amount === null ? 'unknown' : `$${amount.toFixed(4)}`)
