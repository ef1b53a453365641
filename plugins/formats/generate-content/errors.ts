import type { FaultClass, GatewayCode, GatewayError, JsonObject } from 'deflector'
import { ownWords } from '../own-words.ts'
import { OWN } from './proof.ts'

/** The canonical status words that this dialect has for each of our codes. */
const STATUSES: Readonly<Record<GatewayCode, string>> = {
  bad_request: 'INVALID_ARGUMENT',
  unauthorized: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  unknown_endpoint: 'NOT_FOUND',
  method_not_allowed: 'INVALID_ARGUMENT',
  conflict: 'ABORTED',
  too_large: 'INVALID_ARGUMENT',
  unsupported_media: 'INVALID_ARGUMENT',
  vendor_refused: 'INVALID_ARGUMENT',
  quota_blocked: 'RESOURCE_EXHAUSTED',
  rate_limited: 'RESOURCE_EXHAUSTED',
  upstream_failed: 'UNAVAILABLE',
  upstream_timeout: 'DEADLINE_EXCEEDED',
  unsupported_operation: 'UNIMPLEMENTED',
  no_credential: 'UNAVAILABLE',
  unanswered: 'UNAVAILABLE',
  client_left: 'UNAVAILABLE',
  offline: 'UNAVAILABLE',
  route_closed: 'UNAVAILABLE',
  draining: 'UNAVAILABLE',
  loop: 'INTERNAL',
  internal: 'INTERNAL',
}

/** The same for what a vendor reports, in whatever dialect. */
const CLASSES: Readonly<Record<FaultClass, string>> = {
  invalid_request: 'INVALID_ARGUMENT',
  authentication: 'UNAUTHENTICATED',
  permission: 'PERMISSION_DENIED',
  billing: 'RESOURCE_EXHAUSTED',
  not_found: 'NOT_FOUND',
  too_large: 'INVALID_ARGUMENT',
  context_length: 'INVALID_ARGUMENT',
  content_filter: 'INVALID_ARGUMENT',
  rate_limit: 'RESOURCE_EXHAUSTED',
  overloaded: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  server: 'INTERNAL',
}

/** `{error: {code, message, status, details?}}`. The request's id goes out as a header; this body has no place for it. */
export function encodeError(error: GatewayError): JsonObject {
  const kind = error.vendor?.class
  const said = ownWords(error, OWN)
  const details = said ? said.details : detailsOf(error)
  return {
    error: {
      // Clients of this dialect read the status here, so it is the one that they were sent.
      code: error.status,
      message: said?.message ?? error.message,
      status: said?.type ?? (kind === undefined ? STATUSES[error.code] : CLASSES[kind]),
      ...(details !== undefined && { details }),
    },
  }
}

function detailsOf({ param, message, retryAfterSecs }: GatewayError): unknown {
  const details = [
    ...(param === undefined
      ? []
      : [{ ...typed('BadRequest'), fieldViolations: [{ field: param, description: message }] }]),
    ...(retryAfterSecs === undefined ? [] : [{ ...typed('RetryInfo'), retryDelay: `${retryAfterSecs}s` }]),
  ]
  return details.length > 0 ? details : undefined
}

const typed = (name: string): JsonObject => ({ '@type': `type.googleapis.com/google.rpc.${name}` })

/** The last event of a stream that broke. No finish reason follows it. */
export const encodeStreamError = (error: GatewayError): string => `data: ${JSON.stringify(encodeError(error))}\n\n`
