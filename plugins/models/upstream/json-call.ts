import { Cancellation, type Clock } from 'deflector'
import type { Dispatcher } from 'undici'

const MAX_REPLY_BYTES = 16 << 20
/** Statuses that turn down this one text; any other failure is the server's. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422])

/** A server that works, and says no to this text. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

export interface JsonCall {
  readonly url: string
  /** Sent by POST; absent: a GET. */
  readonly body?: unknown
  readonly limitMs: number
  readonly cancellation?: Cancellation | undefined
}

/** One exchange of JSON. No message holds what was sent or what came back: it may be somebody's prompt. */
export async function jsonCall(
  agent: Dispatcher,
  clock: Clock,
  { url, body, limitMs, cancellation }: JsonCall,
): Promise<unknown> {
  cancellation?.throwIfCancelled()
  const wanted = new Cancellation()
  const stop = clock.after(limitMs, () =>
    wanted.cancel(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError')),
  )
  const forget = cancellation?.onCancel(reason => wanted.cancel(reason))
  const { origin, pathname, search, username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  try {
    const reply = await agent.request({
      origin,
      path: pathname + search,
      signal: wanted.signal,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (reply.statusCode === 200) return parsed(await textOf(reply.body))
    await reply.body.dump()
    const message = `the embedding server answered ${reply.statusCode}`
    throw REFUSALS.has(reply.statusCode) ? new Refusal(message) : new Error(message)
  } finally {
    stop()
    forget?.()
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) throw new Error('the embedding server answers without end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the embedding server answers something that is no JSON')
  }
}
