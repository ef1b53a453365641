import { type FaultClass, isObject, ProviderError, type ProviderReason } from 'deflector'
import { publicHeaders, type ReplyHeaders } from './headers.ts'
import { invalidField } from './invalid-field.ts'
import { cleaned } from './mask.ts'
import { parsedJson } from './parsed-json.ts'
import { retryAfterMs } from './retry-after.ts'
import { withToldUsage } from './told-usage.ts'
import { wordsOf } from './vendor-words.ts'

/** What a vendor said of a failure, whatever shape its error body has. */
export interface VendorError {
  readonly message: string | undefined
  /** `code` before `type`, as both may be there. */
  readonly codes: readonly string[]
  /** A status inside the body (some aggregators put one into `code`). */
  readonly status: number | undefined
}

/** Codes that mean: this account cannot pay. A wait does not help, another key may. */
const QUOTA_CODES = new Set([
  'insufficient_quota',
  'insufficient_credits',
  'insufficient_balance',
  'insufficient_user_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error',
  'payment_required',
  '1113',
])

/** Codes by which a vendor says of the key what others say by a status. */
const CREDENTIAL_CODES = new Set(['API_KEY_INVALID', 'API_KEY_EXPIRED'])

const CODE_REASONS: Readonly<Record<string, ProviderReason>> = {
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  rate_limited: 'rate_limited',
  rate_limit_reached_error: 'rate_limited',
  '1302': 'rate_limited',
  overloaded_error: 'overloaded',
  engine_overloaded_error: 'overloaded',
  overloaded: 'overloaded',
  service_unavailable: 'overloaded',
  insufficient_system_resource: 'overloaded',
  timeout_error: 'timeout',
  api_error: 'unavailable',
  server_error: 'unavailable',
  internal_server_error: 'unavailable',
  internal_error: 'unavailable',
  upstream_error: 'unavailable',
  authentication_error: 'credential',
  invalid_api_key: 'credential',
  permission_error: 'credential',
  invalid_request_error: 'bad_request',
  context_length_exceeded: 'context',
  model_context_window_exceeded: 'context',
  exceed_context_size_error: 'context', // llama.cpp
  content_filter: 'bad_request',
  not_found_error: 'bad_request',
  model_not_found: 'bad_request',
  request_too_large: 'bad_request',
}

/** Codes that say more exactly than the reason what kind of failure it is. */
const CODE_CLASSES: Readonly<Record<string, FaultClass>> = {
  content_filter: 'content_filter',
  content_policy_violation: 'content_filter',
  data_inspection_failed: 'content_filter',
  not_found_error: 'not_found',
  model_not_found: 'not_found',
  request_too_large: 'too_large',
  permission_error: 'permission',
  permission_denied: 'permission',
}

const STATUS_CLASSES: Readonly<Record<number, FaultClass>> = { 403: 'permission', 404: 'not_found', 413: 'too_large' }

/** By these a vendor, or a proxy before it, says that the time was up. It is tried again as any that is unavailable. */
const TIMEOUT_STATUSES = new Set<number | undefined>([408, 504, 524])
const TIMEOUT_CODES = new Set(['timeout_error', 'timeout', 'DEADLINE_EXCEEDED'])

/** `undefined` where the reason says it. */
function classOf(reason: ProviderReason, codes: readonly string[], status: number | undefined): FaultClass | undefined {
  if (reason === 'unavailable')
    return TIMEOUT_STATUSES.has(status) || codes.some(code => TIMEOUT_CODES.has(code)) ? 'timeout' : undefined
  if (reason !== 'bad_request' && reason !== 'credential') return undefined
  const byCode = codes.map(code => CODE_CLASSES[code]).find(each => each !== undefined)
  return byCode ?? (status === undefined ? undefined : STATUS_CLASSES[status])
}

/** Who failed, and what is needed to tell it. */
export interface FailureFacts {
  /** Instance name, for messages. */
  readonly name: string
  /** Of the error body. */
  readonly dialect: string
  /** Masked wherever the vendor repeats them. */
  readonly secrets: readonly string[]
}

/** Why an attempt failed, by status, refined by the structured code; never by the words of the message. */
function reasonOf(status: number, codes: readonly string[]): ProviderReason {
  if (status >= 400 && codes.some(code => QUOTA_CODES.has(code))) return 'quota'
  if (codes.some(code => CREDENTIAL_CODES.has(code))) return 'credential'
  switch (status) {
    case 401:
    case 403:
      return 'credential'
    case 402:
      return 'quota'
    case 408:
    case 409:
    case 425:
      return 'unavailable'
    case 429:
      return 'rate_limited'
    case 503:
    case 529:
      return 'overloaded'
  }
  if (status >= 500) return 'unavailable'
  if (status < 400) return 'protocol'
  return codes.some(code => CODE_REASONS[code] === 'context') ? 'context' : 'bad_request'
}

/** The failure behind an error status. */
export function statusFailure(
  { status, headers, text }: { readonly status: number; readonly headers: ReplyHeaders; readonly text: string },
  facts: FailureFacts & {
    readonly now: number
    /** How this vendor says that a prompt is too long, where it has no code for it. */
    readonly tooLong?: ((error: VendorError) => boolean) | undefined
  },
): ProviderError {
  const body = parsedJson(text)
  const vendor = vendorError(body)
  const byCode = reasonOf(status, vendor?.codes ?? [])
  const reason = byCode === 'bad_request' && vendor && facts.tooLong?.(vendor) ? 'context' : byCode
  const wait = reason === 'bad_request' || reason === 'context' ? undefined : waitIn(headers, body, facts.now)
  // How long a client waits after a failure is for the chain to say.
  const { 'retry-after': _, 'retry-after-ms': __, ...shown } = publicHeaders(headers, facts.secrets)
  const error = failure(reason, body, { ...facts, status, wait, headers: shown })
  // A refused request was not worked at.
  return status >= 500 || status === 429 ? withToldUsage(error, text) : error
}

/** The failure behind an error event of a stream; `undefined` when the event is none. */
export function eventFailure(data: string, facts: FailureFacts): ProviderError | undefined {
  const body = parsedJson(data)
  const vendor = vendorError(body)
  if (!vendor) return undefined
  const { codes, status } = vendor
  const byCode = codes.some(code => QUOTA_CODES.has(code))
    ? 'quota'
    : codes.map(code => CODE_REASONS[code]).find(reason => reason !== undefined)
  // Under status 200 a number in the body is the best that is known.
  const reason = byCode ?? (status === undefined ? 'protocol' : reasonOf(status, codes))
  return failure(reason, body, { ...facts, status })
}

function failure(
  reason: ProviderReason,
  body: unknown,
  facts: FailureFacts & {
    readonly status: number | undefined
    readonly wait?: number | undefined
    readonly headers?: Readonly<Record<string, string>>
  },
): ProviderError {
  const { name, dialect, secrets, status, wait, headers } = facts
  const { message: sentence, codes = [] } = vendorError(body) ?? {}
  const said = sentence === undefined ? '' : cleaned(sentence, secrets)
  const head = status === undefined ? `${name} failed` : `${name} answered ${status}`
  const kind = classOf(reason, codes, status)
  const isOurKey = reason === 'credential' && kind === undefined
  // A refusal goes to the client, who looks for the vendor's own words in it.
  const own = reason === 'bad_request' || reason === 'context' ? said : `${head}: ${said}`
  const message = isOurKey ? refusedKey(name, status) : said === '' ? head : own
  const [code] = codes
  const words = wordsOf(body, dialect, secrets)
  // The vendor speaks of the gateway's key, and the client would take it for its own.
  const passed = isOurKey ? words && { ...words, message, details: undefined } : words
  return new ProviderError(reason, message.slice(0, 500), {
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code: cleaned(code, secrets).slice(0, 100) }),
    ...(kind !== undefined && { class: kind }),
    ...(passed && { said: passed }),
    ...(headers && { headers }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  })
}

const refusedKey = (name: string, status: number | undefined): string =>
  `${name} refused the key that the gateway sent${status === undefined ? '' : `, status ${status}`}`

/**
 * Reads `{error: {message, type, code}}`, `{error: "text"}`, `{message}`, `{detail}`, `{detail: [{loc, msg}]}`,
 * `{code, message, data}`,
 * `{success: false, errors}`, `{base_resp}` and a list around any of them. `undefined` for what reports no failure:
 * a mere `message` or `detail` may as well be the text of an answer, which `isAnswer` knows.
 */
export function vendorError(
  body: unknown,
  isAnswer: (body: Record<string, unknown>) => boolean = () => false,
): VendorError | undefined {
  if (Array.isArray(body)) return vendorError(body[0])
  if (!isObject(body)) return undefined
  const { error, base_resp: base, errors } = body
  if (isObject(error)) return described(error, text(body.type) === 'error' ? [] : [body])
  if (typeof error === 'string') return { message: text(body.message) ?? error, codes: [error], status: undefined }
  if (isObject(base)) {
    const code = text(base.status_code)
    return code === undefined || code === '0'
      ? undefined
      : { message: text(base.status_msg), codes: [code], status: undefined }
  }
  if (body.success === false && Array.isArray(errors)) return vendorError({ error: errors[0] ?? {} })
  if ('choices' in body || 'content' in body) return undefined
  const message = text(body.message) ?? text(body.detail) ?? invalidField(body)?.message
  return message === undefined || isAnswer(body) ? undefined : { ...described(body, []), message }
}

function described(error: Record<string, unknown>, around: readonly Record<string, unknown>[]): VendorError {
  const codes = [error, ...around].flatMap(place => [text(place.code), text(place.type), text(place.status)])
  const known = [...codes, ...reasonsIn(error.details)].filter(code => code !== undefined)
  const status = known.map(Number).find(number => number >= 400 && number < 600)
  return { message: text(error.message), codes: known, status }
}

/** Some vendors say under a general code what it is about only in details. */
const reasonsIn = (details: unknown): (string | undefined)[] =>
  Array.isArray(details) ? details.map(detail => (isObject(detail) ? text(detail.reason) : undefined)) : []

function waitIn(headers: ReplyHeaders, body: unknown, now: number): number | undefined {
  const delay = retryDelayIn(body)
  return retryAfterMs(headers, now) ?? (delay === undefined ? undefined : retryAfterMs({ 'retry-after': delay }, now))
}

/** How long to wait, where a vendor says it in its details and not in a header. */
function retryDelayIn(body: unknown): string | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  const error = isObject(outer) ? outer.error : undefined
  const details: unknown[] = isObject(error) && Array.isArray(error.details) ? error.details : []
  return details
    .map(detail => (isObject(detail) ? text(detail.retryDelay) : undefined))
    .find(delay => delay !== undefined)
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
