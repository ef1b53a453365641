/** What kind of failure a vendor reports. Every dialect has words of its own for each. */
export type FaultClass =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'billing'
  | 'not_found'
  | 'too_large'
  /** The prompt is longer than the model's window. */
  | 'context_length'
  | 'content_filter'
  | 'rate_limit'
  | 'overloaded'
  | 'timeout'
  | 'server'

/** A vendor's failure, as far as a client may know of it: nothing in it holds a key. */
export interface VendorFault {
  readonly class?: FaultClass
  /** The vendor's HTTP status, when there was one. */
  readonly status?: number
  /** The vendor's own error code, as sent. */
  readonly code?: string
  /** For clients of the vendor's own dialect. */
  readonly said?: VendorWords
  /** See `AnswerFacts.headers`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What of a vendor's error body passes to clients of the same dialect. */
export interface VendorWords {
  readonly dialect: string
  readonly message?: string
  readonly type?: string
  readonly code?: string | number
  readonly param?: string
  readonly details?: unknown
  readonly requestId?: string
}
