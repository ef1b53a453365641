import { isObject } from './json/object.ts'
import { isProviderError } from './provider-error.ts'
import type { VendorFault } from './vendor-fault.ts'

/**
 * Two kinds of failure. A `GatewayError` is for the client: one table says what each code means on the wire.
 * A `ProviderError` is for the chain of providers: it says why one attempt failed, and never reaches a surface.
 * Both are recognised by a registered symbol, because a plugin loaded after a reload may hold another copy of a class.
 */

/** Admission: what is refused before any layer was asked. */
const ADMISSION = 'l0'
/** The last layer of any flow, also where a flow has none: what nothing before it could answer. */
const CLOUD = 'l3'

interface CodeRow {
  /** HTTP status of the reply. */
  readonly status: number
  /** May `recover` answer in its place (a stale entry)? */
  readonly recoverable: boolean
  /** Is it of any use that the client tries again? `false` is sent as `x-should-retry: false`. */
  readonly retryable: boolean
  /** `X-Service-Layer` of the reply where no layer threw it. */
  readonly layer: string
}

const refused = (status: number, retryable = false): CodeRow => ({
  status,
  recoverable: false,
  retryable,
  layer: ADMISSION,
})
const cloud = (status: number, recoverable = false, retryable = false): CodeRow => ({
  status,
  recoverable,
  retryable,
  layer: CLOUD,
})

/** Every code a client can meet. Surfaces translate the code into their own dialect's type. */
export const CODES = {
  bad_request: refused(400),
  unauthorized: refused(401),
  forbidden: refused(403),
  not_found: refused(404),
  /** No route has this path; `not_found` is a thing that a route looked for. */
  unknown_endpoint: refused(404),
  method_not_allowed: refused(405),
  /** What was asked does not go together with what holds now. */
  conflict: refused(409),
  too_large: refused(413),
  unsupported_media: refused(415),
  draining: refused(503, true),
  loop: refused(508),
  internal: refused(500, true),
  vendor_refused: cloud(400),
  quota_blocked: cloud(429),
  rate_limited: cloud(429, true, true),
  unsupported_operation: cloud(501),
  upstream_failed: cloud(502, true, true),
  upstream_timeout: cloud(502, true, true),
  no_credential: cloud(502, true),
  unanswered: cloud(502),
  /** The client left before its answer: nobody is told the status, and nothing of ours failed. */
  client_left: cloud(499),
  offline: cloud(503),
  route_closed: cloud(503),
} as const satisfies Record<string, CodeRow>

/** The label of an exchange that no layer has answered yet. */
export const UNDECIDED = ADMISSION
/** The label of a stream whose head goes out while its answer is still awaited. */
export const AWAITED = CODES.upstream_timeout.layer

export type GatewayCode = keyof typeof CODES

export interface GatewayErrorDetails {
  /** The request field at fault, as a path (`messages[2].content`). */
  readonly param?: string
  /** Seconds until it is worth trying again; sent as `Retry-After`. */
  readonly retryAfterSecs?: number
  /** What a vendor said of the failure. The status of a `vendor_refused` is the vendor's own. */
  readonly vendor?: VendorFault
  /** Default: as the table says of the code. */
  readonly retryable?: boolean
  readonly cause?: unknown
}

const GATEWAY_ERROR = Symbol.for('deflector.GatewayError')

/** A refusal or failure that the client gets. The message is for a person and never holds a key or a prompt. */
export class GatewayError extends Error {
  readonly [GATEWAY_ERROR] = true
  override readonly name = 'GatewayError'
  readonly status: number
  readonly recoverable: boolean
  readonly retryable: boolean
  /** See `CodeRow.layer`. */
  readonly layer: string
  readonly param: string | undefined
  readonly retryAfterSecs: number | undefined
  readonly vendor: GatewayErrorDetails['vendor']

  constructor(
    readonly code: GatewayCode,
    message: string,
    details: GatewayErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    const { status, recoverable, retryable, layer } = CODES[code]
    this.status = code === 'vendor_refused' ? (details.vendor?.status ?? status) : status
    this.recoverable = recoverable
    this.retryable = details.retryable ?? retryable
    this.layer = layer
    this.param = details.param
    this.retryAfterSecs = details.retryAfterSecs
    this.vendor = details.vendor
  }
}

export const isGatewayError = (error: unknown): error is GatewayError => isObject(error) && GATEWAY_ERROR in error

/**
 * What the log says of an error that no contract foresees: the client gets a general message only. `undefined`
 * for errors that say themselves what is wrong.
 */
export function unforeseen(error: unknown): ErrorFacts | undefined {
  const root = rootOf(error)
  return isProviderError(root) || isGatewayError(root) ? undefined : errorFacts(root)
}

/** What the log may know of an error. */
export interface ErrorFacts {
  readonly error: string
  readonly stack?: string | undefined
}

/** Facts of any error, for the log. Never all that it holds: a vendor's words may quote a prompt. */
export function errorFacts(error: unknown): ErrorFacts {
  const root = rootOf(error)
  if (!(root instanceof Error)) return { error: String(root) }
  if (isProviderError(root)) return { error: `${root.name} ${root.reason}`, stack: framesOf(root) }
  if (isGatewayError(root)) return { error: `${root.name} ${root.code}`, stack: framesOf(root) }
  // A parser's message may quote the prompt that it read. The stack begins with the message.
  if (root instanceof SyntaxError) return { error: root.name, stack: framesOf(root) }
  return { error: root.message, stack: root.stack }
}

const rootOf = (error: unknown): unknown =>
  isGatewayError(error) && error.cause !== undefined ? rootOf(error.cause) : error

const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter(line => line.startsWith('    at '))
    .join('\n')

/** The failure as a client gets it: a provider's reason becomes a code, anything unforeseen `internal`. */
export function toGatewayError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  if (!isProviderError(error))
    return new GatewayError('internal', 'the gateway failed; its log has the cause', { cause: error })
  const { reason, message, vendor, lasting, param, retryAfterMs } = error
  const details = { vendor, cause: error, ...(lasting && { retryable: false }) }
  switch (reason) {
    case 'bad_request':
    case 'context':
      return new GatewayError('vendor_refused', message, { ...details, vendor: { status: 400, ...vendor } })
    case 'unsayable': {
      const field = param === undefined ? {} : { param }
      return new GatewayError('vendor_refused', message, { ...details, ...field, vendor: { ...vendor, status: 400 } })
    }
    case 'rate_limited': {
      const wait = retryAfterMs === undefined ? {} : { retryAfterSecs: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
      return new GatewayError('rate_limited', message, { ...wait, ...details })
    }
    case 'timeout':
      return new GatewayError('upstream_timeout', message, details)
    default:
      return new GatewayError('upstream_failed', message, details)
  }
}
