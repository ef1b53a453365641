import type { FaultClass, GatewayCode, GatewayError, JsonObject } from 'deflector'
import { ownWords } from '../own-words.ts'
import { eventText } from './events.ts'
import { threadRefusal } from './thread-refusal.ts'

const TYPES: Readonly<Record<GatewayCode, string>> = {
  bad_request: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  unknown_endpoint: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  conflict: 'invalid_request_error',
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
  client_left: 'api_error',
  offline: 'api_error',
  route_closed: 'api_error',
  draining: 'api_error',
  loop: 'api_error',
  internal: 'api_error',
}

/** The same for what a vendor reports, in whatever dialect. */
const CLASSES: Readonly<Record<FaultClass, string>> = {
  invalid_request: 'invalid_request_error',
  authentication: 'authentication_error',
  permission: 'permission_error',
  billing: 'billing_error',
  not_found: 'not_found_error',
  too_large: 'request_too_large',
  context_length: 'invalid_request_error',
  content_filter: 'invalid_request_error',
  rate_limit: 'rate_limit_error',
  overloaded: 'overloaded_error',
  timeout: 'timeout_error',
  server: 'api_error',
}

/** `{type: error, error: {type, message}, request_id}`, as the official SDKs expect it. */
export function encodeError(error: GatewayError, requestId: string): JsonObject {
  const kind = error.vendor?.class
  const said = ownWords(error, 'messages')
  const details = said?.details ?? threadRefusal(error)
  return {
    type: 'error',
    error: {
      type: said?.type ?? (kind === undefined ? TYPES[error.code] : CLASSES[kind]),
      message: said?.message ?? wording(error),
      ...(details !== undefined && { details }),
    },
    request_id: said?.requestId ?? requestId,
  }
}

/** The same as the last event of a stream that broke. */
export function encodeStreamError(error: GatewayError, requestId: string): string {
  return eventText({ ...encodeError(error, requestId), type: 'error' })
}

/** Coding agents compact their history when they read these very words. */
function wording({ message, vendor }: GatewayError): string {
  const tooLong = vendor?.class === 'context_length' && !/prompt is too long/i.test(message)
  return tooLong ? `prompt is too long: ${message}` : message
}
