import type { Answer } from './chat/answer.ts'
import type { Usage } from './chat/completion.ts'
import { isObject } from './json/object.ts'
import type { FaultClass, VendorFault, VendorWords } from './vendor-fault.ts'

const PROVIDER_ERROR = Symbol.for('deflector.ProviderError')

/**
 * Why one attempt at one provider failed.
 *
 * | reason | meaning | retried | next provider |
 * |---|---|---|---|
 * | `rate_limited` | 429 for this key | on another key, or after the wait | yes |
 * | `quota` | the account is out of credit | no | yes |
 * | `overloaded`, `unavailable` | 503, 529; other 5xx and 408 | yes | yes |
 * | `timeout` | nothing came in time | where no other provider is ready | yes |
 * | `network` | refused, reset, no such host | yes | yes |
 * | `protocol` | the answer is not what the vendor's format promises, or stopped early | yes | yes |
 * | `gave_up` | the vendor says that the model came to no answer | once | where the client cannot be given it |
 * | `credential` | 401 or 403: our key is wrong or missing | no | yes |
 * | `bad_request` | the vendor refuses what the client sent | no | no |
 * | `context` | the prompt is larger than the model's window | no | only those with a larger window |
 * | `unsayable` | the vendor's dialect has no words for what the client asks; it was not called | no | yes |
 * | `untellable` | the client's dialect has no words for what the vendor answered | no | yes |
 */
export type ProviderReason =
  | 'rate_limited'
  | 'quota'
  | 'overloaded'
  | 'unavailable'
  | 'timeout'
  | 'network'
  | 'protocol'
  | 'gave_up'
  | 'credential'
  | 'bad_request'
  | 'context'
  | 'unsayable'
  | 'untellable'

interface ReasonRow {
  /** What kind of failure it is where the vendor does not say it more exactly. */
  readonly class?: FaultClass
  /** Nothing but the operator can mend it, so a client need not try again. */
  readonly lasting?: boolean
}

const REASONS: Readonly<Record<ProviderReason, ReasonRow>> = {
  rate_limited: { class: 'rate_limit' },
  quota: { class: 'billing', lasting: true },
  overloaded: { class: 'overloaded' },
  unavailable: { class: 'server' },
  timeout: { class: 'timeout' },
  network: {},
  protocol: {},
  gave_up: { class: 'server' },
  credential: { class: 'authentication', lasting: true },
  bad_request: { class: 'invalid_request', lasting: true },
  context: { class: 'context_length', lasting: true },
  unsayable: { class: 'invalid_request', lasting: true },
  untellable: { lasting: true },
}

export interface ProviderErrorDetails {
  /** The request field at fault, as a path in the client's body. */
  readonly param?: string
  /** The vendor's HTTP status, when there was one. */
  readonly status?: number
  /** The vendor's own error code, as sent. */
  readonly code?: string
  /** More exactly than the reason says it: `content_filter` is a bad request, too. */
  readonly class?: FaultClass
  /** See `VendorFault`. */
  readonly said?: VendorWords
  /** See `VendorFault`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long the vendor asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /**
   * Below the vendor's protocol: what failed and where (`ECONNREFUSED 127.0.0.1:9999`). The log is told
   * it, and the client its first word, so it never holds a key or a prompt.
   */
  readonly detail?: string
  /**
   * What was wrong, for the client, the log and the request's story: `the vendor sent an empty answer`. In fixed words of
   * the gateway's own, so nothing of what a client, a vendor or a thrown error says.
   */
  readonly fault?: string
  /** A tap of `attempt` threw it, and the vendor was not called. */
  readonly refused?: boolean
  /** The vendor cannot have seen the prompt: there was no connection, or no token for the call. */
  readonly unsent?: boolean
  /** All that the call used, where the vendor says so of one that failed. */
  readonly usage?: Usage | undefined
  /** What the vendor sent, where the client is to have it if the next attempt is no better. */
  readonly answer?: Answer
  readonly cause?: unknown
}

/** One attempt at one provider failed. The message never holds a key or a prompt. */
export class ProviderError extends Error {
  readonly [PROVIDER_ERROR] = true
  override readonly name = 'ProviderError'
  readonly status: number | undefined
  readonly code: string | undefined
  readonly class: FaultClass | undefined
  /** Nothing but the operator can mend it. */
  readonly lasting: boolean
  readonly retryAfterMs: number | undefined
  readonly refused: boolean
  readonly unsent: boolean
  readonly answer: Answer | undefined
  readonly detail: string | undefined
  readonly fault: string | undefined
  readonly param: string | undefined
  /** See `ProviderErrorDetails`. Who throws the error may not be who has read the whole reply. */
  usage: Usage | undefined
  /** What the client may know of it. */
  readonly vendor: VendorFault

  constructor(
    readonly reason: ProviderReason,
    message: string,
    details: ProviderErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status
    this.code = details.code
    this.class = details.class ?? REASONS[reason]?.class
    this.lasting = REASONS[reason]?.lasting ?? false
    this.retryAfterMs = details.retryAfterMs
    this.refused = details.refused === true
    this.unsent = details.unsent === true
    this.answer = details.answer
    this.detail = details.detail
    this.fault = details.fault
    this.param = details.param
    this.usage = details.usage
    this.vendor = {
      ...(this.class !== undefined && { class: this.class }),
      ...(this.status !== undefined && { status: this.status }),
      ...(this.code !== undefined && { code: this.code }),
      ...(details.said && { said: details.said }),
      ...(details.headers && { headers: details.headers }),
    }
  }
}

/** The `fault` of a plugin that threw what no contract foresees: its message is for the log alone. */
export const PLUGIN_FAILED = "the provider plugin failed; the gateway's log says why"

/** The `fault` of a plugin that returned none of the kinds of answers. */
export const NOT_AN_ANSWER = 'the provider plugin returned something that is not an answer'

export const isProviderError = (error: unknown): error is ProviderError => isObject(error) && PROVIDER_ERROR in error
