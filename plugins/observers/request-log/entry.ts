import type { Exchange, Reply } from 'deflector'
import { type ExchangeRecord, exchangeRecord, trailRecords } from 'deflector/formats/exchange-record'
import { redactHeaders, redactQuery, redactText, secretsIn } from 'deflector/formats/redact'

/** Bytes of a body that are logged. */
const BODY_BYTES = 16 << 10
/** Some more are looked at, so that a secret which is cut there is known for one. They are never shown. */
const LOOK_AHEAD = 512
export const SEEN_BYTES = BODY_BYTES + LOOK_AHEAD

const HEADERS = { longest: 1_024, most: 100 }
const LONGEST_QUERY = 1_024

/** What is kept of an exchange until its line is written: no more of its body than the line needs. */
export interface PendingEntry {
  readonly record: ExchangeRecord
  readonly requestHeaders: Exchange['headers']
  readonly query: URLSearchParams | undefined
  /** A copy: the body itself may be large. */
  readonly requestBody: Buffer | undefined
  readonly requestBytes: number
  /** Asked when the line is written: a failure is told after `finish`, and the last bytes of a stream may follow it. */
  readonly reply: () => Reply | undefined
}

/** The facts of an exchange that is over. `now`: milliseconds since 1970. */
export function pendingEntry(exchange: Exchange, now: number): PendingEntry {
  const bytes = exchange.opened?.bytes
  return {
    record: exchangeRecord(exchange, now),
    requestHeaders: exchange.headers,
    query: exchange.call?.query,
    requestBody: bytes && Buffer.from(bytes.subarray(0, SEEN_BYTES)),
    requestBytes: bytes?.length ?? 0,
    reply: () => exchange.reply,
  }
}

/** The line of an entry, without secrets and without a line break. */
export function lineOf({ record, requestHeaders, query, requestBody, requestBytes, ...pending }: PendingEntry): string {
  const reply = pending.reply()
  const { timestamp, request_id, method, path, status, latency_ms, ...rest } = record
  const known = secretsIn(requestHeaders)
  const request = bodyText(requestBody ? [requestBody] : [], requestHeaders['content-type'], known)
  const headers = reply?.headers ?? {}
  const response = bodyText(reply?.body ?? [], headers['content-type'] ?? headers['Content-Type'], known)
  const entry = {
    timestamp,
    request_id,
    method,
    path: path && redactText(path, known) + (query ? redactQuery(query, LONGEST_QUERY) : ''),
    ...rest,
    trail: trailRecords(record),
    model: record.model && redactText(record.model, known),
    tags: record.tags.map(tag => redactText(tag, known)),
    request_headers: redactHeaders(requestHeaders, HEADERS),
    request_body: request.text,
    request_body_truncated: request.cut || requestBytes > (requestBody?.length ?? 0),
    response_status: reply?.status ?? status,
    response_headers: redactHeaders(headers, HEADERS),
    response_body: response.text,
    response_body_truncated: response.cut || reply?.cut === true || reply?.ended === false,
    latency_ms,
  }
  return JSON.stringify(entry)
}

/** Sound, pictures and forms with files are not for a log. */
const TEXT = /^(?:application\/(?:[\w.+-]+\+)?json|application\/(?:x-)?ndjson|text\/)/i

interface LoggedText {
  /** `null` where there was none. */
  readonly text: string | null
  readonly cut: boolean
}

/** `type`: the content type; a body without one is taken for text, as clients leave it out. */
function bodyText(parts: Reply['body'], type: string | undefined, known: readonly string[]): LoggedText {
  const seen = bytesOf(parts).subarray(0, SEEN_BYTES)
  if (seen.length === 0) return { text: null, cut: false }
  if (type !== undefined && !TEXT.test(type)) return { text: `[${type.slice(0, 100)}]`, cut: true }
  const clean = redactText(seen.toString('utf8'), known)
  if (seen.length <= BODY_BYTES && Buffer.byteLength(clean) <= BODY_BYTES) return { text: clean, cut: false }
  const bytes = Buffer.from(clean)
  const shown = seen.length < SEEN_BYTES ? bytes.length : Math.max(0, bytes.length - LOOK_AHEAD)
  return { text: wholeCharacters(bytes.subarray(0, Math.min(BODY_BYTES, shown))), cut: true }
}

function bytesOf(parts: Reply['body']): Buffer {
  const buffers = parts.map(part => (typeof part === 'string' ? Buffer.from(part) : bufferOf(part)))
  const [only] = buffers
  return only && buffers.length === 1 ? only : Buffer.concat(buffers)
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

/** Without the replacement character that a cut one leaves at the end. */
const wholeCharacters = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
