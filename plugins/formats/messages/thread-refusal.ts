import { type GatewayError, isProviderError, type JsonObject } from 'deflector'

/**
 * The words by which this format's clients go on by themselves where a thread cannot: with the whole history and no
 * thread, or in a new one. A vendor's own words come from the vendor.
 */
export function threadRefusal({ param, cause, vendor }: GatewayError): JsonObject | undefined {
  if (param !== 'thread') return undefined
  if (isProviderError(cause) && cause.reason === 'unsayable')
    return { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  return cause === undefined && vendor?.status === 404 ? { error_code: 'thread_not_found' } : undefined
}
