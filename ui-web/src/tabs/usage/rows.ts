import type { Answer } from '../../api/ask.ts'

export const DIMENSIONS = {
  provider: 'Provider',
  model: 'Model',
  key: 'Vendor key',
  principal: 'Gateway key',
  tag: 'Tag',
  tool: 'Tool',
} as const
export type Dimension = keyof typeof DIMENSIONS

export const isDimension = (name: string | undefined): name is Dimension => name !== undefined && name in DIMENSIONS

type Told = Answer<'GET /api/admin/usage/breakdown'>['rows'][number]

const COUNTS = [
  'requests_total',
  'deflected_total',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cached_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'saved_tokens',
  'unpriced',
  'estimated',
] as const
const COSTS = ['estimated_cost_usd', 'estimated_saved_cost_usd'] as const
/** Columns with numbers, as the endpoint calls them. */
export const NUMBERS = [...COUNTS, ...COSTS] as const
type Numbers = Pick<Told, (typeof NUMBERS)[number]>

export interface UsageRow extends Numbers {
  readonly name: string
  /** Of a model. */
  readonly provider: string
}

/** The rows of an answer by one dimension, the dearest first. The gateway tells of providers by their models. */
export function rowsOf(told: readonly Told[], by: Dimension): readonly UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const one of told) {
    const row = { ...one, name: memberOf(one, by), provider: by === 'model' ? memberOf(one, 'provider') : '' }
    const id = `${row.provider}\n${row.name}`
    const known = rows.get(id)
    rows.set(id, known ? added(known, row) : row)
  }
  return [...rows.values()].sort(
    (a, b) => (b.estimated_cost_usd ?? 0) - (a.estimated_cost_usd ?? 0) || b.requests_total - a.requests_total,
  )
}

const memberOf = (told: Told, by: Dimension): string =>
  String(Object.entries(told).find(([name]) => name === by)?.[1] ?? '')

/** A cost that is unknown adds nothing, unless nothing is known at all. */
function added(a: UsageRow, b: UsageRow): UsageRow {
  const sum: { -readonly [Name in keyof UsageRow]: UsageRow[Name] } = { ...a }
  for (const name of COUNTS) sum[name] += b[name]
  for (const name of COSTS) sum[name] = a[name] === null && b[name] === null ? null : (a[name] ?? 0) + (b[name] ?? 0)
  return sum
}
