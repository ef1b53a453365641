import { facet } from 'deflector'

/** How an instance is. A layer that offers nothing is `active`. */
export type HealthStatus = 'active' | 'disabled' | 'degraded' | 'no_credential'

/** Called with every request to `/health`, so it must be cheap. */
export const health = facet<() => HealthStatus>('health')

/**
 * The state of each label that a pipeline has. `labels` are those of its layer instances (`Status.layers`): several may
 * share one, and a layer that offers nothing does not speak for the others.
 */
export function statusByLabel(
  labels: ReadonlyMap<string, string>,
  offered: ReadonlyMap<string, () => HealthStatus>,
): Record<string, HealthStatus> {
  const layers: Record<string, HealthStatus> = {}
  const reported: typeof layers = {}
  for (const [name, label] of labels) {
    const describe = offered.get(name)
    if (describe) reported[label] = worse(reported[label], describe())
    layers[label] = reported[label] ?? 'active'
  }
  return layers
}

const ORDER: readonly HealthStatus[] = ['disabled', 'active', 'degraded', 'no_credential']

/** The sum is active if one layer is, and no better than the worst that is on. */
const worse = (a: HealthStatus | undefined, b: HealthStatus): HealthStatus =>
  a !== undefined && ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b
