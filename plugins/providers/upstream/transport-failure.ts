import { type Cancellation, isProviderError, ProviderError } from 'deflector'

/** What went wrong below the vendor's own protocol. */
export function transportFailure(error: unknown, cancellation: Cancellation): ProviderError {
  if (isProviderError(error)) return error
  if (cancellation.cancelled) {
    if (isProviderError(cancellation.reason)) return cancellation.reason
    return new ProviderError('timeout', 'the call was given up before the provider had answered', { cause: error })
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new ProviderError('timeout', 'the provider could not be reached in time', { cause: error })
  }
  if (code.startsWith('HPE_') || code.startsWith('Z_') || code.startsWith('ERR__ERROR')) {
    return new ProviderError('protocol', `the answer could not be read (${code})`, { cause: error })
  }
  return new ProviderError('network', code === '' ? 'the connection failed' : `the connection failed (${code})`, {
    cause: error,
  })
}
