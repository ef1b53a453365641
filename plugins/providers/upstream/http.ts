import type { Cancellation, Host } from 'deflector'
import { Agent, type Dispatcher } from 'undici'
import { requestHeaders } from './headers.ts'
import { Incoming } from './incoming.ts'
import { Reply } from './reply.ts'
import { transportFailure } from './transport-failure.ts'

/** The way out: pooled connections, and the name under which this gateway uses them. */
export interface Connections {
  readonly agent: Dispatcher
  readonly gateway: string
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request {
  /** Default: POST. */
  readonly method?: Method | undefined
  readonly url: URL
  /** Headers of every call, see `baseHeaders`, and of this one. */
  readonly baseHeaders: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Of the client's request: the gateways that it came through. */
  readonly client: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array | undefined
  readonly cancellation: Cancellation
}

const KEEP_ALIVE = 30_000

/**
 * The connections that all HTTP providers of one patience share and that a reload keeps. Nothing is opened before the
 * first call.
 */
export function connections(host: Host, connectMs: number): Connections {
  const makeAgent = (): Agent =>
    new Agent({
      bodyTimeout: 0, // `stream.ts` watches the silence
      headersTimeout: 0, // the caller's deadline bounds the wait for a first byte
      keepAliveTimeout: KEEP_ALIVE,
      connect: { timeout: connectMs },
    })
  return { agent: host.keep(`providers:http:${connectMs}`, makeAgent, agent => agent.destroy()), gateway: host.gateway }
}

/** One call. Resolves at the head of the reply, whatever its status; throws only `ProviderError`. */
export async function request(
  { agent, gateway }: Connections,
  { method = 'POST', url, baseHeaders, headers, client, body, cancellation }: Request,
): Promise<Reply> {
  const incoming = new Incoming(cancellation)
  try {
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: requestHeaders(baseHeaders, headers, gateway, client),
        body: body ?? null,
      },
      incoming,
    )
    return new Reply(await incoming.head, incoming, cancellation)
  } catch (error) {
    incoming.head.catch(() => {})
    throw transportFailure(error, cancellation, { peer: url.host, unsent: !incoming.sent })
  }
}
