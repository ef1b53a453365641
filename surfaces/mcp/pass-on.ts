import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Call, GatewayError } from 'deflector'
import { FlowBackend } from './flow-backend.ts'
import type { Came } from './server.ts'
import type { Session, Sessions } from './sessions.ts'

export interface Passing {
  readonly sessions: Sessions
  readonly session: Session
  readonly backend: FlowBackend
  /** The parsed body of a POST. */
  readonly body?: unknown
}

/** Hands a call to the SDK's transport in its terms, and replies what that says: JSON, or a stream. */
export async function passOn(call: Call, { sessions, session, backend, body }: Passing): Promise<void> {
  const { transport, over } = session
  const done = new AbortController()
  const gone = new Promise<void>(resolve => whenGone([call.signal, over], done.signal, resolve))
  const passing = transport.handleRequest(requestOf(call), {
    ...(body !== undefined && { parsedBody: body }),
    authInfo: { token: '', clientId: '', scopes: [], extra: { backend } },
  })
  // The SDK is silent to a request that its client cancelled, and to most when the session ends; not to the one that
  // ended it, so it gets a turn to speak.
  const silence = gone.then(() => nextTurn(undefined))
  const response = await Promise.race([passing, silence]).finally(() => done.abort())
  if (!response) throw new GatewayError('not_found', 'the session ended')
  const headers = Object.fromEntries(response.headers)
  if (!response.body || !headers['content-type']?.startsWith('text/event-stream')) {
    return call.send(response.status, headers, Buffer.from(await response.arrayBuffer()))
  }
  const id = headers['mcp-session-id']
  const outlet = call.open({ ...(id !== undefined && { 'mcp-session-id': id }) }, ': keep-alive\n\n')
  const counted = sessions.stream(session)
  // Not waited for: it lasts as long as the client likes, and a reload must not wait for that.
  void pump(response.body.getReader(), outlet, call.signal).finally(counted.done)
}

/** The backend that came with a message through `passOn`. */
export function backendOf({ authInfo }: Came): FlowBackend {
  const backend = authInfo?.extra?.backend
  if (backend instanceof FlowBackend) return backend
  throw new Error('a message came without its backend')
}

/** The stream ends by itself with the session. */
async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outlet: ReturnType<Call['open']>,
  left: AbortSignal,
): Promise<void> {
  const done = new AbortController()
  const decoder = new TextDecoder()
  whenGone([left], done.signal, () => void reader.cancel())
  for (;;) {
    const { value, done: ended } = await reader.read()
    if (ended) break
    await outlet.write(decoder.decode(value, { stream: true }))
  }
  done.abort()
  outlet.end()
}

/** A session outlives its calls by far, so a call takes its listeners away when it is `done`. */
function whenGone(signals: readonly AbortSignal[], done: AbortSignal, leave: () => void): void {
  for (const signal of signals) {
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true, signal: done })
  }
}

/** The transport reads method and headers; the body was read before, under our own limit. */
function requestOf({ method, path, headers }: Call): Request {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given.set(name, value)
  return new Request(`http://localhost${path}`, { method, headers: given })
}
