import { isSecretName } from './client-headers.ts'

/**
 * The query of a call as a vendor of the same dialect gets it: no parameter that could hold a credential, which would be
 * one of ours, and all others in a fixed order.
 */
export function dialectQuery(query: URLSearchParams): { readonly query?: string } {
  if (query.size === 0) return {}
  const kept = new URLSearchParams([...query].filter(([name]) => !isSecretName(name)))
  kept.sort()
  return kept.size === 0 ? {} : { query: kept.toString() }
}
