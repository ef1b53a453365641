import { type Cancellation, type Host, isProviderError, ProviderError } from 'deflector'
import { Agent, type Dispatcher } from 'undici'
import { decoded } from './decode.ts'
import { joined, outgoing, type ReplyHeaders } from './headers.ts'
import { type Head, Incoming } from './incoming.ts'

/** The way out: pooled connections, and the name under which this gateway uses them. */
export interface Line {
  readonly agent: Dispatcher
  readonly gateway: string
}

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Of the client's request: the gateways that it came through. */
  readonly client: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  readonly cancellation: Cancellation
}

export interface Reply {
  readonly status: number
  readonly headers: ReplyHeaders
  /** Decompressed. What goes wrong on the way is thrown as a `ProviderError`. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** The same bytes all at once. Throws `ProviderError('protocol')` for more than 64 MiB. */
  bytes(): Promise<Buffer>
  /** Ends the call; the reader of `chunks` gets `reason`. */
  cancel(reason: ProviderError): void
  /** Lets what is left run out, so that the connection can be used again. */
  release(): void
}

/** Bytes that an answer may have, decompressed. */
export const ANSWER_LIMIT = 64 << 20
/** Of an error body only the beginning is read. */
const ERROR_LIMIT = 256 << 10
/** Milliseconds to wait for it: the next attempt is waiting, too. */
const ERROR_TIMEOUT = 2_000
const CONNECT_TIMEOUT = 10_000
const KEEP_ALIVE = 30_000
/** How long a vendor may take to end a reply of which we have all we want. */
const RELEASE_TIMEOUT = 1_000

/** The connections that all HTTP providers share and that a reload keeps. Nothing is opened before the first call. */
export function connections(host: Host): Line {
  const makeAgent = (): Agent =>
    new Agent({
      bodyTimeout: 0, // `stream.ts` watches the silence
      headersTimeout: 0, // the caller's deadline bounds the wait for a first byte
      keepAliveTimeout: KEEP_ALIVE,
      connect: { timeout: CONNECT_TIMEOUT },
    })
  return { agent: host.keep('providers:http', makeAgent, agent => agent.destroy()), gateway: host.gateway }
}

/** One POST. Resolves at the head of the reply, whatever its status; throws only `ProviderError`. */
export async function post(
  { agent, gateway }: Line,
  { url, headers, client, body, cancellation }: Post,
): Promise<Reply> {
  const incoming = new Incoming(cancellation)
  const head = await dispatched(agent, incoming, {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: outgoing(headers, gateway, client),
    body,
  }).catch((error: unknown) => {
    throw transportFailure(error, cancellation)
  })
  const replyHeaders = joined(head.headers)
  const encoding = replyHeaders['content-encoding']
  const plain = encoding === undefined || encoding === 'identity'
  const chunks = guarded(plain ? incoming : decoded(incoming, encoding), cancellation)
  const cancel = (reason: ProviderError): void => incoming.cancel(reason)
  return {
    status: head.status,
    headers: replyHeaders,
    chunks,
    bytes: () => (plain ? readPlain(incoming, cancellation) : readAll(chunks, cancel)),
    cancel,
    release: () => {
      if (incoming.ended) return
      incoming.drop()
      setTimeout(() => cancel(new ProviderError('timeout', 'the reply did not end')), RELEASE_TIMEOUT).unref()
    },
  }
}

function dispatched(agent: Dispatcher, incoming: Incoming, options: Dispatcher.DispatchOptions): Promise<Head> {
  try {
    agent.dispatch(options, incoming)
  } catch (error) {
    incoming.head.catch(() => {})
    return Promise.reject(error)
  }
  return incoming.head
}

const tooLarge = (): ProviderError => new ProviderError('protocol', 'the answer is larger than 64 MiB')

export async function readAll(chunks: AsyncIterable<Uint8Array>, cancel: Reply['cancel']): Promise<Buffer> {
  const read: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > ANSWER_LIMIT) {
      cancel(tooLarge())
      throw tooLarge()
    }
    read.push(chunk)
  }
  return Buffer.concat(read)
}

/** Most answers come unencoded and in one piece. */
async function readPlain(incoming: Incoming, cancellation: Cancellation): Promise<Buffer> {
  const read: Buffer[] = []
  let size = 0
  try {
    for (let chunks = await incoming.next(); chunks; chunks = await incoming.next()) {
      for (const chunk of chunks) size += chunk.length
      if (size > ANSWER_LIMIT) incoming.cancel(tooLarge())
      else read.push(...chunks)
    }
  } catch (error) {
    throw transportFailure(error, cancellation)
  }
  return read.length === 1 && read[0] ? read[0] : Buffer.concat(read, size)
}

/** The body of a failure, as far as it can be had: the status alone already says enough. */
export async function readError(reply: Reply): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const timer = setTimeout(
    () => reply.cancel(new ProviderError('timeout', 'the error body took too long')),
    ERROR_TIMEOUT,
  )
  try {
    for await (const chunk of reply.chunks) {
      chunks.push(chunk)
      size += chunk.length
      if (size > ERROR_LIMIT) break
    }
    reply.release()
  } catch {
    reply.cancel(new ProviderError('network', 'the error body broke off'))
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* guarded(chunks: AsyncIterable<Uint8Array>, cancellation: Cancellation): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw transportFailure(error, cancellation)
  }
}

/** What went wrong below the vendor's own protocol. */
export function transportFailure(error: unknown, cancellation: Cancellation): ProviderError {
  if (isProviderError(error)) return error
  if (cancellation.cancelled) {
    if (isProviderError(cancellation.reason)) return cancellation.reason
    return new ProviderError('timeout', 'the call was given up before the provider had answered', { cause: error })
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new ProviderError('timeout', 'the provider could not be reached in time', { cause: error })
  }
  if (code.startsWith('HPE_') || code.startsWith('Z_') || code.startsWith('ERR__ERROR')) {
    return new ProviderError('protocol', `the answer could not be read (${code})`, { cause: error })
  }
  return new ProviderError('network', code === '' ? 'the connection failed' : `the connection failed (${code})`, {
    cause: error,
  })
}
