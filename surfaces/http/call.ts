import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Call, Cancellation, GatewayError, type Outlet } from 'deflector'
import { readBody } from './body.ts'
import { pathOf, queryOf } from './path.ts'
import { rawHead } from './reply.ts'
import { EventStream, SSE_HEADERS } from './sse.ts'

/** What all calls of one listener have in common. */
export interface CallLimits {
  /** Of a body, also after decompression. */
  readonly maxBodyBytes: number
  /** Longest wait of a stream's head for its first event. */
  readonly headWaitMs: number
  /** Silence after which a stream gets a keep-alive. */
  readonly keepAliveMs: number
}

export const DEFAULT_LIMITS: CallLimits = { maxBodyBytes: 32 << 20, headWaitMs: 10_000, keepAliveMs: 10_000 }

/** How long a refused body may still trickle in before its connection is cut, in milliseconds. */
const LINGER = 5_000

/** Bytes that go out in one write with their head: node joins text to it, and for a buffer makes two. */
const ONE_WRITE = 32_768

/** A `Call` around node's request and response. Expensive parts are made on first use. */
export class HttpCall implements Call {
  readonly method: string
  params: Readonly<Record<string, string>> = {}
  /** Headers that go out whatever is replied. */
  readonly also: Record<string, string> = {}
  #path: string | undefined
  #query: URLSearchParams | undefined
  readonly cancellation = new Cancellation()
  #begun = false
  #awaitsContinue: boolean

  constructor(
    readonly id: string,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly limits: CallLimits,
    expectsContinue = false,
    readonly proxied?: string,
  ) {
    this.method = request.method ?? 'GET'
    this.#awaitsContinue = expectsContinue
    // The request's own close comes early in newer versions of Node.
    response.once('close', () => {
      if (!response.writableFinished) this.cancellation.cancel(new GatewayError('client_left', 'the client left'))
    })
  }

  get path(): string {
    this.#path ??= pathOf(this.request.url ?? '/')
    return this.#path
  }

  /** Path and query as a router should see them. */
  get url(): string {
    const query = queryOf(this.request.url ?? '')
    return query === '' ? this.path : `${this.path}?${query}`
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(queryOf(this.request.url ?? ''))
    return this.#query
  }

  get headers(): Call['headers'] {
    // Node joins repeated headers, but for this one, which no request has any business with.
    const { headers } = this.request
    if (headers['set-cookie']) delete headers['set-cookie']
    return headers as Call['headers']
  }

  get remote(): string {
    return this.request.socket.remoteAddress ?? ''
  }

  get status(): number | undefined {
    return this.response.headersSent ? this.response.statusCode : undefined
  }

  get headWaitMs(): number {
    return this.limits.headWaitMs
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  /** Has the reply begun? */
  get begun(): boolean {
    return this.#begun
  }

  get left(): boolean {
    return this.cancellation.cancelled
  }

  body(most = this.limits.maxBodyBytes): Promise<Uint8Array> {
    const limit = Math.min(most, this.limits.maxBodyBytes)
    const announced = Number(this.request.headers['content-length'] ?? 0)
    if (this.#awaitsContinue && announced <= limit) {
      this.#awaitsContinue = false
      this.response.writeContinue()
    }
    return readBody(this.request, limit)
  }

  send(status: number, headers: Record<string, string>, body: string | Uint8Array = ''): void {
    if (!this.#begin()) return
    const raw = this.#head(headers)
    const bodiless = status === 204 || status === 304
    if (!bodiless) raw.push('content-length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length))
    this.response.writeHead(status, raw)
    if (bodiless || body.length === 0) this.response.end()
    else if (typeof body === 'string' || body.length > ONE_WRITE) this.response.end(body)
    else this.response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1')
    if (!this.request.complete) this.#linger()
  }

  open(headers: Record<string, string>, keepAlive: string): Outlet {
    if (!this.#begin()) return { write: () => {}, end: () => {} }
    this.response.writeHead(200, this.#head({ ...SSE_HEADERS, ...headers }))
    return new EventStream(this.response, keepAlive, this.limits.keepAliveMs)
  }

  /** Cuts a reply that has begun and cannot be ended as its client expects. */
  cut(): void {
    this.response.destroy()
  }

  /** False when the client is gone. */
  #begin(): boolean {
    if (this.#begun) throw new Error('this call has its reply already')
    this.#begun = true
    return !this.left
  }

  #head(headers: Record<string, string>): string[] {
    // A client that was never told to continue may or may not send its body: the connection has no next request.
    if (this.#awaitsContinue) this.also.connection = 'close'
    const raw = rawHead(headers, this.id)
    for (const name in this.also) raw.push(name, this.also[name] ?? '')
    return raw
  }

  /** Node reads and drops what is left of a body, so that the client gets round to reading the refusal; not for ever. */
  #linger(): void {
    const { request } = this
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy()
    }, LINGER).unref()
    request.once('close', () => clearTimeout(timer))
  }
}
