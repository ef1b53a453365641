import type { ProviderError, ProviderReason } from 'deflector'

/** By these a vendor says that it did nothing, as long as a status says it and no event of a stream. */
const REFUSALS = new Set<ProviderReason>([
  'rate_limited',
  'quota',
  'credential',
  'overloaded',
  'bad_request',
  'context',
])

/** No line to the vendor was there, so it was sent nothing. */
const UNCONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)\b/

/** May the vendor have begun with what it was asked, although the call failed? */
export function mayHaveBegun({ reason, status, refused, detail = '' }: ProviderError): boolean {
  if (refused || reason === 'unsayable' || UNCONNECTED.test(detail)) return false
  return status === undefined || !REFUSALS.has(reason)
}
