import { type GatewayError, isGatewayError, ProviderError } from 'deflector'

/** A limit of the operator's own ends the call here: no provider behind this one is asked. */
export const isBlock = (error: unknown): error is GatewayError =>
  isGatewayError(error) && error.code === 'quota_blocked'

/** The block as a failure of the chain. The client gets the block itself only where no vendor failed. */
export function blocked(cause: GatewayError): ProviderError {
  const { message, retryAfterSecs } = cause
  const wait = retryAfterSecs === undefined ? {} : { retryAfterMs: retryAfterSecs * 1000 }
  return new ProviderError('quota', message, { ...wait, refused: true, cause })
}
