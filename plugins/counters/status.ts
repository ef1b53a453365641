import type { LayerHost } from 'deflector'
import type { QuotaStatus } from 'deflector/facets/quota-status'
import { type Budget, percent, type WindowStatus } from './budget.ts'
import { limitName, shownAmount } from './limit.ts'

/** A budget as the admin endpoints show it. */
export function statusOf(budget: Budget, action: string): QuotaStatus {
  const windows = budget.windows()
  const stale = budget.isStale
  const unknown = stale ? '; what other gateways use is not known while the shared store is out of reach' : ''
  const lines = windows.map(window => ({
    line: `${lineOf(budget.holder, window)}${unknown}`,
    isNear: budget.isNear(window),
  }))
  return {
    provider: budget.holder,
    action,
    lines: lines.map(({ line }) => line),
    warnings: lines.flatMap(({ line, isNear }) => (isNear ? [line] : [])),
    windows,
    stale,
  }
}

function lineOf(holder: string, window: WindowStatus): string {
  const { unit, limit, used, reserved, resets_at } = window
  const share = limit > 0 ? `${percent(used / limit)} of ` : ''
  const open = reserved > 0 ? `, and ${shownAmount(unit, reserved)} reserved` : ''
  const taken = `${shownAmount(unit, used)} of ${shownAmount(unit, limit)}${open}`
  return `${holder}: ${share}the ${limitName(window)} (${taken}), until ${resets_at}`
}

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
