import { facet } from 'deflector'

/** How an instance is. A layer that offers nothing is `active`. */
export type HealthStatus = 'active' | 'disabled' | 'degraded' | 'no_credential'

/** Called with every request to `/health`, so it must be cheap. */
export const health = facet<() => HealthStatus>('health')
