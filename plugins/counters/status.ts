import type { LayerHost } from 'deflector'
import type { QuotaStatus } from 'deflector/facets/quota-status'
import { type Budget, percent, type WindowStatus } from './budget.ts'
import { limitName } from './limit.ts'

/** A budget as the admin endpoints show it. */
export function statusOf(budget: Budget, action: string): QuotaStatus {
  const windows = budget.windows()
  const lines = windows.map(window => ({ line: lineOf(budget.holder, window), isNear: budget.isNear(window) }))
  return {
    provider: budget.holder,
    action,
    lines: lines.map(({ line }) => line),
    warnings: lines.flatMap(({ line, isNear }) => (isNear ? [line] : [])),
    windows,
  }
}

function lineOf(holder: string, window: WindowStatus): string {
  const { unit, limit, used, reserved, resets_at } = window
  const taken = used + reserved
  const share = limit > 0 ? `${percent(taken / limit)} of ` : ''
  return `${holder}: ${share}the ${limitName(window)} (${amount(unit, taken)} of ${amount(unit, limit)}), until ${resets_at}`
}

const amount = (unit: WindowStatus['unit'], count: number): string =>
  unit === 'usd' ? `${Number(count.toPrecision(3))} USD` : `${Math.ceil(count).toLocaleString('en')} ${unit}`

/** Says once for each model that its calls have no price, so that limits of cost do not count them. */
export function unpricedWarning({
  log,
}: Pick<LayerHost, 'log'>): (provider: string, model: string | undefined) => void {
  const told = new Set<string>()
  return (provider, model = '') => {
    const key = `${provider} ${model}`
    if (told.has(key) || told.size >= MOST_MODELS) return
    told.add(key)
    log.warn('a model has no price, so limits of cost do not count it; set usage_pricing for its provider', {
      provider,
      model,
    })
  }
}

/** Clients may name any model. */
const MOST_MODELS = 1000
