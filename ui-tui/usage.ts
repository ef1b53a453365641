import { z } from 'zod'
import type { Column } from './columns.ts'
import { count, share, usd } from './figures.ts'
import type { UsageBy } from './view.ts'

/** `null`: no price is known. */
const dollars = z.number().nullable()
const name = z.string().default('')

/** `/api/admin/usage/breakdown` */
export const breakdown = z.object({
  window_hours: z.number(),
  rows: z.array(
    z.object({
      provider: name,
      model: name,
      principal: name,
      tag: name,
      requests_total: z.number(),
      deflected_total: z.number(),
      total_tokens: z.number(),
      estimated_cost_usd: dollars,
      estimated_saved_cost_usd: dollars,
    }),
  ),
})
export type Breakdown = z.output<typeof breakdown>

/** What one key, model or tag spent. */
export interface Spender extends Omit<Breakdown['rows'][number], 'provider' | UsageBy> {
  readonly name: string
  /** What all of them spent; two tags of a request count twice. */
  readonly all: number
}

/** Who spent the most comes first. */
export function spenders({ rows }: Breakdown, by: UsageBy): Spender[] {
  const all = rows.reduce((sum, { estimated_cost_usd: cost }) => sum + (cost ?? 0), 0)
  return rows
    .map(row => ({ ...row, name: nameIn(row, by), all }))
    .sort((a, b) => spent(b) - spent(a) || b.requests_total - a.requests_total)
}

const nameIn = (row: Breakdown['rows'][number], by: UsageBy): string =>
  by === 'model' && row.provider !== '' ? `${row.provider}/${row.model}` : row[by] || 'none'

const spent = ({ estimated_cost_usd }: { readonly estimated_cost_usd: number | null }): number =>
  estimated_cost_usd ?? 0

const shareText = ({ estimated_cost_usd: cost, all }: Spender): string => (cost === null ? '-' : share(cost, all))

export const spenderColumns = (title: string): readonly Column<Spender>[] => [
  { title, width: 14, grows: 48, cell: one => ({ text: one.name, tone: 'strong' }), sort: one => one.name },
  { title: 'spent', width: 9, right: true, cell: one => usd(one.estimated_cost_usd), sort: spent },
  { title: 'share', width: 7, right: true, cell: shareText },
  {
    title: 'saved',
    width: 9,
    right: true,
    cell: one => usd(one.estimated_saved_cost_usd),
    sort: one => one.estimated_saved_cost_usd ?? 0,
  },
  { title: 'requests', width: 9, right: true, cell: one => count(one.requests_total), sort: one => one.requests_total },
  {
    title: 'deflected',
    width: 10,
    right: true,
    cell: one => count(one.deflected_total),
    sort: one => one.deflected_total,
  },
  { title: 'tokens', width: 8, right: true, cell: one => count(one.total_tokens), sort: one => one.total_tokens },
]
