import { Cancellation, type Clock } from 'deflector'
import type { Dispatcher } from 'undici'

/** More than 32 vectors or the longest answer need; a reply is parsed in one turn of the event loop. */
const MAX_REPLY_BYTES = 1 << 20
/** Statuses that refuse this one request; any other failure is the server's. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422])

/** A working server refused this request. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

export interface JsonCall {
  /** Who is asked, for messages: `the embedding server`. */
  readonly what: string
  readonly url: string
  /** In lower case, beside those that every call has. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent by POST; without it the call is a GET. */
  readonly body?: unknown
  readonly limitMs: number
  readonly cancellation?: Cancellation | undefined
}

/** One JSON call. No error message quotes the request or the reply, which may hold a prompt. */
export async function jsonCall(
  agent: Dispatcher,
  clock: Clock,
  { what, url, headers, body, limitMs, cancellation }: JsonCall,
): Promise<unknown> {
  cancellation?.throwIfCancelled()
  const limit = new Cancellation()
  const stop = clock.after(limitMs, () =>
    limit.cancel(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError')),
  )
  const forget = cancellation?.onCancel(reason => limit.cancel(reason))
  const { origin, pathname, search, username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  try {
    const reply = await agent.request({
      origin,
      path: pathname + search,
      signal: limit.signal,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (reply.statusCode === 200) return parseReply(await textOf(reply.body, what), what)
    await reply.body.dump()
    const message = `${what} answered ${reply.statusCode}`
    throw REFUSALS.has(reply.statusCode) ? new Refusal(message) : new Error(message)
  } finally {
    stop()
    forget?.()
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) throw new Error(`the reply of ${what} is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseReply(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${what} answered something that is not JSON`)
  }
}
