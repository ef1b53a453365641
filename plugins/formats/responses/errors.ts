import type { FaultClass, GatewayCode, GatewayError, JsonObject, SentText } from 'deflector'
import { encodeErrorIn } from '../chat-completions/errors.ts'
import { ownWords } from '../own-words.ts'
import { eventText } from './events.ts'

/** `{error: {message, type, param, code}}`, as in the vendor's other dialect. */
export const encodeError = (error: GatewayError): JsonObject => encodeErrorIn('responses', error)

/** The codes of a response that failed. Clients know these words, and take any other for a failure that passes. */
const CODES: Partial<Readonly<Record<GatewayCode | FaultClass, string>>> = {
  bad_request: 'invalid_prompt',
  vendor_refused: 'invalid_prompt',
  invalid_request: 'invalid_prompt',
  context_length: 'context_length_exceeded',
  content_filter: 'invalid_prompt',
  quota_blocked: 'insufficient_quota',
  billing: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  rate_limit: 'rate_limit_exceeded',
  overloaded: 'server_is_overloaded',
}

/**
 * A stream that breaks ends with `error` and `response.failed`. Official SDKs throw at the first; coding agents know only
 * the second, and tell by it a failure from a line that was cut. Both say what a vendor of this dialect said.
 */
export function encodeStreamError(error: GatewayError, requestId: string, sent?: SentText): string {
  const said = ownWords(error, 'responses')
  const message = said?.message ?? error.message
  const code = said?.code ?? CODES[error.vendor?.class ?? error.code] ?? 'server_error'
  const param = said?.param ?? error.param ?? null
  const number = sent === undefined ? 0 : sequenceAfter(sent.last)
  const response = {
    id: (sent && responseIdIn(sent.first)) ?? `resp_${requestId}`,
    object: 'response',
    created_at: (sent && createdIn(sent.first)) ?? 0,
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
    usage: null,
  }
  return (
    eventText({ type: 'error', code, message, param, ...encodeError(error), sequence_number: number }) +
    eventText({ type: 'response.failed', sequence_number: number + 1, response })
  )
}

function sequenceAfter(text: string): number {
  const [, number] = /.*"sequence_number":\s*(\d+)/s.exec(text) ?? []
  return number === undefined ? 0 : Number(number) + 1
}

const responseIdIn = (text: string): string | undefined => /"response":\s*\{"id":\s*"([^"\\]+)"/.exec(text)?.[1]

function createdIn(text: string): number | undefined {
  const [, seconds] = /"created_at":\s*(\d+)/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}
