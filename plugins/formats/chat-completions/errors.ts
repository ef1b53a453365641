import type { FaultClass, GatewayCode, GatewayError, JsonObject } from 'deflector'
import { ownWords } from '../own-words.ts'

interface ErrorRow {
  readonly type: string
  readonly code: string | null
}

const row = (type: string, code: string | null = null): ErrorRow => ({ type, code })

const NO_MODEL = 'model_not_found'

/** What the official SDKs of this dialect expect to read for each of our codes. */
const ROWS: Readonly<Record<GatewayCode, ErrorRow>> = {
  bad_request: row('invalid_request_error'),
  unauthorized: row('invalid_request_error', 'invalid_api_key'),
  forbidden: row('invalid_request_error', 'permission_denied'),
  not_found: row('invalid_request_error', NO_MODEL),
  unknown_endpoint: row('invalid_request_error', 'unknown_endpoint'),
  method_not_allowed: row('invalid_request_error'),
  conflict: row('invalid_request_error', 'conflict'),
  too_large: row('invalid_request_error', 'request_too_large'),
  unsupported_media: row('invalid_request_error'),
  vendor_refused: row('invalid_request_error'),
  quota_blocked: row('insufficient_quota', 'insufficient_quota'),
  rate_limited: row('rate_limit_error', 'rate_limit_exceeded'),
  upstream_failed: row('upstream_error', 'upstream_failed'),
  upstream_timeout: row('upstream_error', 'upstream_timeout'),
  unsupported_operation: row('invalid_request_error', 'unsupported_operation'),
  no_credential: row('upstream_error', 'upstream_failed'),
  unanswered: row('upstream_error', 'upstream_failed'),
  client_left: row('upstream_error', 'upstream_failed'),
  offline: row('service_unavailable', 'offline_mode'),
  route_closed: row('service_unavailable', 'route_closed'),
  draining: row('service_unavailable', 'draining'),
  loop: row('server_error', 'loop_detected'),
  internal: row('server_error', 'internal_error'),
}

/** The same for what a vendor reports, in whatever dialect. */
const CLASSES: Readonly<Record<FaultClass, ErrorRow>> = {
  invalid_request: row('invalid_request_error'),
  authentication: row('authentication_error', 'invalid_api_key'),
  permission: row('permission_error', 'permission_denied'),
  billing: row('insufficient_quota', 'insufficient_quota'),
  not_found: row('invalid_request_error', NO_MODEL),
  too_large: row('invalid_request_error', 'request_too_large'),
  context_length: row('invalid_request_error', 'context_length_exceeded'),
  content_filter: row('invalid_request_error', 'content_filter'),
  rate_limit: row('rate_limit_error', 'rate_limit_exceeded'),
  overloaded: row('overloaded_error', 'overloaded'),
  timeout: row('timeout_error', 'upstream_timeout'),
  server: row('server_error', 'upstream_failed'),
}

/** `{error: {message, type, param, code}}`. The request's id goes out as a header; this body has no place for it. */
export const encodeError = (error: GatewayError): JsonObject => encodeErrorIn('chat-completions', error)

/** The same in a dialect whose errors look alike: `dialect` is the one whose vendors' own words pass. */
export function encodeErrorIn(dialect: string, error: GatewayError): JsonObject {
  const { vendor } = error
  const { type, code: usual } = vendor?.class === undefined ? ROWS[error.code] : CLASSES[vendor.class]
  const code = usual === NO_MODEL ? missing(error.param) : usual
  const said = ownWords(error, dialect)
  return {
    error: {
      message: said?.message ?? error.message,
      type: said?.type ?? type,
      param: said?.param ?? error.param ?? null,
      // A vendor that names a type and no code means that there is none.
      code: said?.code ?? (said?.type === undefined ? code : null),
      ...(said?.details !== undefined && { details: said.details }),
    },
  }
}

/** The code of what is not there: the model, unless the error names a field of something else. */
function missing(field = 'model'): string {
  if (field === 'model') return NO_MODEL
  return field === 'previous_response_id' ? 'previous_response_not_found' : 'not_found'
}

export const encodeStreamError = (error: GatewayError): string => `data: ${JSON.stringify(encodeError(error))}\n\n`

/** What a vendor says in a top-level `error`, of an answer or in the middle of a stream. */
export function vendorMessage(error: unknown): string {
  if (typeof error === 'string') return error
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined
  return typeof message === 'string' && message !== '' ? message : 'the vendor sent an error without a message'
}
