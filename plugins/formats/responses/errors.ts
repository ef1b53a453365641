import type { GatewayCode, GatewayError, JsonObject, SentText } from 'deflector'
import { encodeError as encodeChatError } from '../chat-completions/errors.ts'
import { eventText } from './events.ts'

/** `{error: {message, type, param, code}}`, as in the vendor's other dialect. */
export const encodeError = (error: GatewayError): JsonObject => encodeChatError(error)

/** The codes of a response that failed; clients know these words and read others as a passing failure. */
const CODES: Partial<Readonly<Record<GatewayCode, string>>> = {
  bad_request: 'invalid_prompt',
  vendor_refused: 'invalid_prompt',
  quota_blocked: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
}

/**
 * A stream that breaks ends with `error` and `response.failed`. Official SDKs throw at the first; coding agents know only
 * the second, and tell by it a failure from a line that was cut.
 */
export function encodeStreamError(error: GatewayError, requestId: string, sent?: SentText): string {
  const { message, param = null } = error
  const code = error.vendor?.code ?? CODES[error.code] ?? 'server_error'
  const body = encodeError(error).error
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
    eventText({ type: 'error', code, message, param, error: body, sequence_number: number }) +
    eventText({ type: 'response.failed', sequence_number: number + 1, response })
  )
}

function sequenceAfter(text: string): number {
  const [, number] = /.*"sequence_number":\s*(\d+)/s.exec(text) ?? []
  return number === undefined ? 0 : Number(number) + 1
}

const responseIdIn = (text: string): string | undefined => /"response":\{"id":"([^"\\]+)"/.exec(text)?.[1]

function createdIn(text: string): number | undefined {
  const [, seconds] = /"created_at":\s*(\d+)/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}
