import { type Call, defineSurface, GatewayError, sendJson } from 'deflector'
import {
  type Books,
  books,
  type DailyUsage,
  type UsageDimension,
  type UsagePoint,
  type UsageRow,
  type UsageTotals,
} from 'deflector/facets/books'
import { quotaStatus } from 'deflector/facets/quota-status'
import { badRequest } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

const DIMENSIONS = ['key', 'principal', 'tag', 'tool', 'layer'] as const satisfies readonly UsageDimension[]
const dimension = z.enum(DIMENSIONS)

/** Hours that one point of a timeline may have: parts of a day, so that days begin with a point. */
const STEPS = [1, 2, 3, 4, 6, 8, 12, 24] as const
/** Points of a timeline where nobody asks for a step, at most. */
const MOST_STEPS = 60

/** What requests cost and what deflections saved, for the operator. */
export default defineSurface({
  name: 'usage',
  needsFlow: true,
  summary: 'GET /debug/usage, /api/admin/usage, its /breakdown and its /timeline: what requests cost and saved',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const ledgers = host.offers(books)
    const quotas = host.offers(quotaStatus)
    host.route('GET', '/debug/usage', summary, options)
    host.route('GET', '/api/admin/usage', summary, options)
    host.route('GET', '/api/admin/usage/breakdown', breakdown, options)
    host.route('GET', '/api/admin/usage/timeline', timeline, options)

    async function summary(call: Call): Promise<void> {
      const { ledger, hours } = await asked(call)
      const totals = ledger.totals(hours)
      reply(call, {
        window_hours: hours,
        usage_log_path: ledger.folder,
        retention_days: ledger.retentionDays,
        total_requests: totals.requests,
        total_deflected_requests: totals.deflected,
        total_prompt_tokens: totals.promptTokens,
        total_completion_tokens: totals.completionTokens,
        total_tokens: totals.promptTokens + totals.completionTokens,
        estimated_cost_usd: totals.costUsd ?? null,
        estimated_saved_cost_usd: totals.savedCostUsd ?? null,
        deflection_rate: rateOf(totals),
        ...detailsOf(totals),
        entries: ledger.daily(hours).map(entryOf),
      })
    }

    async function breakdown(call: Call): Promise<void> {
      const { ledger, hours } = await asked(call)
      const by = dimensionOf(call, 'model')
      const rows =
        by === 'model'
          ? ledger.rows(hours).map(row => ({ ...nameOf(row), ...sumsOf(row) }))
          : [...ledger.by(by, hours)].map(([name, totals]) => ({ [by]: name, ...sumsOf(totals) }))
      reply(call, { window_hours: hours, rows, quota_status: [...quotas.values()].flatMap(status => status()) })
    }

    async function timeline(call: Call): Promise<void> {
      const { ledger, hours } = await asked(call)
      const by = dimensionOf(call, 'layer')
      const step = stepOf(call, hours)
      const points = ledger.timeline(by, hours, step).map(pointOf)
      reply(call, { window_hours: hours, step_hours: step, by, points })
    }

    async function asked(call: Call): Promise<{ readonly ledger: Books; readonly hours: number }> {
      const [ledger] = ledgers.values()
      if (!ledger)
        throw new GatewayError('not_found', 'no observer of the pipeline books usage; add `usage:` to `observers`')
      const hours = hoursOf(call, ledger)
      await ledger.settled()
      return { ledger, hours }
    }
  },
})

function hoursOf({ query }: Call, { windowHours, retentionDays }: Books): number {
  const given = query.get('hours')
  if (given === null) return windowHours
  const hours = Number(given)
  if (!/^\d{1,9}$/.test(given) || hours < 1) throw badRequest('hours', 'must be a whole number of hours, 1 or more')
  return Math.min(hours, (retentionDays + 1) * 24)
}

function dimensionOf({ query }: Call, usual: 'model' | 'layer'): UsageDimension | 'model' {
  const given = query.get('by') ?? usual
  if (given === 'model') return given
  const read = dimension.safeParse(given)
  if (!read.success) throw badRequest('by', `must be one of model, ${DIMENSIONS.join(', ')}`)
  return read.data
}

function stepOf({ query }: Call, hours: number): number {
  const given = query.get('step')
  const step = STEPS.find(step => (given === null ? hours / step <= MOST_STEPS : String(step) === given))
  if (given !== null && step === undefined) throw badRequest('step', `must be one of ${STEPS.join(', ')}`)
  return step ?? 24
}

const nameOf = ({ provider, model }: UsageRow) => ({ provider, model })

const entryOf = ({ day, ...row }: DailyUsage) => ({ day, ...nameOf(row), ...sumsOf(row) })

const pointOf = ({ start, name, ...totals }: UsagePoint) => ({
  start: new Date(start).toISOString(),
  name,
  requests_total: totals.requests,
  deflected_total: totals.deflected,
  failed_total: totals.failed,
  total_tokens: totals.promptTokens + totals.completionTokens,
  saved_tokens: totals.savedTokens,
  estimated_cost_usd: totals.costUsd ?? null,
  estimated_saved_cost_usd: totals.savedCostUsd ?? null,
})

const sumsOf = (totals: UsageTotals) => ({
  prompt_tokens: totals.promptTokens,
  completion_tokens: totals.completionTokens,
  total_tokens: totals.promptTokens + totals.completionTokens,
  requests_total: totals.requests,
  deflected_total: totals.deflected,
  failed_total: totals.failed,
  estimated_cost_usd: totals.costUsd ?? null,
  estimated_saved_cost_usd: totals.savedCostUsd ?? null,
  ...detailsOf(totals),
})

/** What the totals are made of, and how sure they are. */
const detailsOf = (totals: UsageTotals) => ({
  cached_read_tokens: totals.cachedReadTokens,
  cache_write_tokens: totals.cacheWriteTokens,
  reasoning_tokens: totals.reasoningTokens,
  saved_tokens: totals.savedTokens,
  unpriced: totals.unpriced,
  estimated: totals.estimated,
})

const rateOf = ({ requests, deflected }: UsageTotals): number => (requests === 0 ? 0 : deflected / requests)

const reply = (call: Call, body: object): void => sendJson(call, body, { headers: { 'cache-control': 'no-store' } })
