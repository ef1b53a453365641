import type { GatewayCode, GatewayError, JsonObject } from 'deflector'
import { eventText } from './events.ts'

const TYPES: Readonly<Record<GatewayCode, string>> = {
  bad_request: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  unknown_endpoint: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  too_large: 'request_too_large',
  unsupported_media: 'invalid_request_error',
  vendor_refused: 'invalid_request_error',
  quota_blocked: 'rate_limit_error',
  rate_limited: 'rate_limit_error',
  upstream_failed: 'api_error',
  upstream_timeout: 'timeout_error',
  unsupported_operation: 'invalid_request_error',
  no_credential: 'api_error',
  unanswered: 'api_error',
  offline: 'api_error',
  route_closed: 'api_error',
  draining: 'api_error',
  loop: 'api_error',
  internal: 'api_error',
}

/** A vendor's own status is sent with the type that this dialect has for it. */
const VENDOR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** `{type: error, error: {type, message}, request_id}`, as the official SDKs expect it. */
export function encodeError(error: GatewayError, requestId: string): JsonObject {
  const type = (error.vendor && VENDOR_TYPES[error.vendor.status]) ?? TYPES[error.code] ?? 'api_error'
  return { type: 'error', error: { type, message: wording(error) }, request_id: requestId }
}

/** The same as the last event of a stream that broke. */
export function encodeStreamError(error: GatewayError, requestId: string): string {
  return eventText({ ...encodeError(error, requestId), type: 'error' })
}

/** Coding agents compact their history when they read these very words. */
function wording({ message, vendor }: GatewayError): string {
  const tooLong = vendor?.code === 'context_length_exceeded' && !/prompt is too long/i.test(message)
  return tooLong ? `prompt is too long: ${message}` : message
}
