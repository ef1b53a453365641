import { type Answer, type ChatFormat, type ProviderCall, ProviderError, parseLargeJson, wholeAnswer } from 'deflector'
import { eventFailure, statusFailure, vendorError } from './failure.ts'
import { publicHeaders } from './headers.ts'
import { type Connections, post } from './http.ts'
import { type Reply, readError } from './reply.ts'
import { gathered, type StreamFacts, streamed } from './stream.ts'

export interface Attempt {
  readonly connections: Connections
  readonly url: URL
  /** Headers of every call, see `baseHeaders`. */
  readonly baseHeaders: Readonly<Record<string, string>>
  /** Headers of this call, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: () => Uint8Array
  readonly format: ChatFormat
  /** Instance name, for messages. */
  readonly name: string
  readonly idleMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Is this parsed body a whole answer of the format? Throws `ProviderError` when it reports a failure. */
  readonly isAnswer: (body: Record<string, unknown>) => boolean
}

/** One call, one answer: whole or live, whatever the vendor chose to send. Throws only `ProviderError`. */
export async function attempt(call: ProviderCall, options: Attempt): Promise<Answer> {
  const { connections, url, baseHeaders, headers, body, format, name, idleMs } = options
  const { headers: client, cancellation } = call
  const secrets = call.key === undefined ? [] : [call.key]
  const reply = await post(connections, { url, baseHeaders, headers, client, body: body(), cancellation })
  if (reply.status < 200 || reply.status > 299) {
    const text = await readError(reply)
    throw statusFailure({ ...reply, text }, { name, now: options.now(), secrets })
  }
  const shown = publicHeaders(reply.headers)
  const facts: StreamFacts = { format, name, idleMs, secrets }
  switch (mediaType(reply)) {
    case 'text/event-stream':
      if (call.stream) return streamed(reply, facts, shown)
      return wholeAnswer({ completion: await gathered(reply, facts), headers: shown })
    case 'json':
      return whole(await reply.bytes(), call, options, shown, secrets)
    default: {
      const type = (reply.headers['content-type'] ?? 'no content type').slice(0, 80)
      const error = new ProviderError('protocol', `${name} answered with ${type}`, { status: reply.status })
      reply.cancel(error)
      throw error
    }
  }
}

/** Bytes above which an answer is worth the turns of the event loop. */
const LARGE_ANSWER = 128 << 10

/** Of two members with one name the last counts: a vendor's answer is the vendor's to spell. */
const parsed = (bytes: Buffer): unknown =>
  bytes.length > LARGE_ANSWER ? parseLargeJson(bytes, { repeats: 'last' }) : JSON.parse(bytes.toString('utf8'))

async function whole(
  bytes: Buffer,
  call: ProviderCall,
  { format, name, isAnswer }: Attempt,
  headers: Record<string, string>,
  secrets: readonly string[],
): Promise<Answer> {
  let body: unknown
  try {
    body = await parsed(bytes)
  } catch {
    throw new ProviderError(
      'protocol',
      bytes.length === 0 ? `${name} sent an empty answer` : `${name} sent an answer that is no JSON`,
    )
  }
  if (vendorError(body)) {
    // Under status 200 nothing of it can be trusted to be the client's fault.
    const said = eventFailure(bytes.toString('utf8'), { name, secrets })
    throw new ProviderError(
      'protocol',
      said?.message ?? `${name} reported a failure`,
      said?.code === undefined ? {} : { code: said.code },
    )
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !isAnswer(body as Record<string, unknown>)) {
    throw new ProviderError('protocol', `${name} sent JSON that is no ${format.name} answer`)
  }
  const decode = () => {
    try {
      return format.decodeAnswer(body)
    } catch (error) {
      throw new ProviderError('protocol', `${name} sent an answer that cannot be read as ${format.name}`, {
        cause: error,
      })
    }
  }
  // A client of the same format gets the bytes; any other needs the canonical form, so it had better be readable now.
  const completion = call.prompt.dialect.name === format.name ? decode : decode()
  return wholeAnswer({ completion, wire: { format: format.name, bytes }, headers })
}

/** Some hosts send JSON without a type, or as plain text. Whether it is JSON shows when it is parsed. */
function mediaType({ headers }: Reply): 'text/event-stream' | 'json' | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return type
  return type === '' || type === 'text/plain' || /^application\/(?:.+\+)?json$/.test(type) ? 'json' : undefined
}
