import { z } from 'zod'
import { table } from '../../ui-tui/text-table.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'
import { CommandError } from './failure.ts'

export interface StatsOptions extends AdminOptions {
  readonly byTool?: boolean
  /** Of `--usage` alone. */
  readonly by?: string
  readonly hours?: string
  readonly json?: boolean
}

const counts = z.record(z.string(), z.number())
const prompts = z.object({
  total_prompts: z.number(),
  total_deflected_prompts: z.number(),
  by_layer: counts,
  by_surface: counts,
  by_client: counts,
  by_tool: counts,
})
const agent = z.object({
  requests: z.number(),
  cache_hits: z.number(),
  cache_misses: z.number(),
  l1a_hits: z.number(),
  l1a_misses: z.number(),
  l1b_hits: z.number(),
  l1b_misses: z.number(),
  average_latency_ms: z.number(),
  retry_count: z.number(),
  error_count: z.number(),
  l1a_safety_ratio: z.number(),
  l1b_safety_ratio: z.number(),
})
const agents = z.object({ agents: z.record(z.string(), agent) })

/** `deflector stats`: requests of the running gateway since its start, by layer, surface, client and tool. */
export async function stats(options: StatsOptions): Promise<void> {
  for (const name of ['hours', 'by'] as const)
    if (options[name] !== undefined) throw new CommandError(`--${name} goes with --usage`)
  const lines = options.byTool ? await toolLines(options) : await promptLines(options)
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function promptLines(options: StatsOptions): Promise<string[]> {
  const found = await askAdmin(options, prompts, { path: '/debug/stats/prompts?limit=0', surface: 'stats' })
  if (options.json) return [JSON.stringify(found, null, 2)]
  const { total_prompts: all, total_deflected_prompts: deflected, by_layer, by_surface, by_client, by_tool } = found
  return [
    `${all} requests since the start, ${deflected} deflected${all > 0 ? ` (${percent(deflected, all)})` : ''}`,
    ...Object.entries({ layer: by_layer, surface: by_surface, client: by_client, tool: by_tool }).flatMap(
      ([what, by]) => {
        const rows = Object.entries(by).sort(([, a], [, b]) => b - a)
        if (rows.length === 0) return []
        return [
          '',
          ...table([
            [`by ${what}`, 'requests', 'share'],
            ...rows.map(([name, count]) => [name, `${count}`, percent(count, all)]),
          ]),
        ]
      },
    ),
  ]
}

async function toolLines(options: StatsOptions): Promise<string[]> {
  const found = await askAdmin(options, agents, { path: '/debug/stats/agents', surface: 'stats' })
  if (options.json) return [JSON.stringify(found.agents, null, 2)]
  const rows = Object.entries(found.agents).sort(([, a], [, b]) => b.requests - a.requests)
  if (rows.length === 0) return ['no requests since the start']
  return table([
    ['tool', 'requests', 'hits', 'misses', 'l1a', 'safety', 'l1b', 'safety', 'average', 'retries', 'errors'],
    ...rows.map(([tool, one]) => [
      tool,
      `${one.requests}`,
      `${one.cache_hits}`,
      `${one.cache_misses}`,
      ...lookups(one.l1a_hits, one.l1a_misses, one.l1a_safety_ratio),
      ...lookups(one.l1b_hits, one.l1b_misses, one.l1b_safety_ratio),
      `${one.average_latency_ms.toFixed(0)} ms`,
      `${one.retry_count}`,
      `${one.error_count}`,
    ]),
  ])
}

/** Hits among the lookups of one cache, and their share, which the specification calls the safety ratio. */
const lookups = (hits: number, misses: number, ratio: number): string[] =>
  hits + misses === 0 ? ['-', '-'] : [`${hits}/${hits + misses}`, `${(100 * ratio).toFixed(1)} %`]

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
