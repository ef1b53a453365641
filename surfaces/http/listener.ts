import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Dispatch } from './dispatcher.ts'
import { rawHead } from './reply.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface ListenerFacts {
  /** The whole request, body included, has to be in by then; milliseconds, 0 for no limit. */
  readonly requestMs: number
  /** Ids for replies that no call stands behind. */
  id(): string
}

/** How often a listener that closes looks for lines that have become idle, in milliseconds. */
const SWEEP = 50

/** Longest wait for the head of a request, in milliseconds. */
const MAX_HEAD = 60_000

/** How much later than its limit a slow request may be refused, in milliseconds. */
const LATENESS = 1_000

/**
 * A listening socket. It outlives generations: each puts its own dispatch in place of the last one's, and a call stays
 * with the dispatch that took it.
 */
export class Listener {
  readonly #server: Server
  readonly #asked: Address
  readonly #id: () => string
  #dispatch: Dispatch | undefined
  #listening: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(asked: Address, { requestMs, id }: ListenerFacts) {
    this.#asked = asked
    this.#id = id
    this.#server = createServer({
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: LATENESS,
      requireHostHeader: false, // node's own refusal says nothing; `browser-check.ts` says what is missing
    })
    this.requestMs = requestMs
    this.#server.on('request', (request, response) => this.#take(request, response))
    this.#server.on('checkContinue', (request, response) => this.#take(request, response, true))
    // Another expectation than 100-continue may be ignored, and node's own refusal says nothing.
    this.#server.on('checkExpectation', (request, response) => this.#take(request, response))
    this.#server.on('connect', (_request, socket) => refuse(socket, id(), '405 Method Not Allowed', NO_PROXY))
    this.#server.on('clientError', (error, socket) => refuseMalformed(error, socket, id()))
  }

  /** For requests that begin from now on. */
  set requestMs(limit: number) {
    // Node counts whole milliseconds.
    const whole = Math.ceil(limit)
    this.#server.requestTimeout = whole
    this.#server.headersTimeout = whole === 0 ? MAX_HEAD : Math.min(MAX_HEAD, whole)
  }

  get dispatch(): Dispatch | undefined {
    return this.#dispatch
  }

  set dispatch(dispatch: Dispatch) {
    this.#dispatch = dispatch
  }

  /**
   * Binds the address; does nothing when it is bound. Throws one clear line when it cannot be had. `own` is where this
   * gateway listens already.
   */
  listen(own?: Address): Promise<void> {
    this.#listening ??= new Promise((resolve, reject) => {
      const { host, port } = this.#asked
      const refused = (error: NodeJS.ErrnoException): void => {
        this.#listening = undefined
        reject(new Error(whyNot(error, this.#asked, own), { cause: error }))
      }
      this.#server.once('error', refused)
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', refused)
        resolve()
      })
    })
    return this.#listening
  }

  /** What was bound: the port is real even where 0 was asked for. */
  address(): Address {
    const bound = this.#server.address()
    return isInfo(bound) ? { host: bound.address, port: bound.port } : this.#asked
  }

  /** Takes no more connections. Calls on their way end as they are; `close` cuts them. */
  retire(): Promise<void> {
    this.#closing ??= new Promise(resolve => {
      const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP)
      this.#server.close(() => {
        clearInterval(sweep)
        resolve()
      })
      this.#server.closeIdleConnections()
    })
    return this.#closing
  }

  /** Lets what is being written go out for `graceMs`, then cuts what is left. */
  async close(graceMs: number): Promise<void> {
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs)
    await this.retire()
    clearTimeout(cut)
  }

  #take(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    // A kept connection has no next request once the listener is closing.
    if (this.#closing) response.shouldKeepAlive = false
    if (this.#dispatch) this.#dispatch(request, response, expectsContinue)
    else
      response
        .writeHead(503, [...rawHead({ 'retry-after': '1', connection: 'close' }, this.#id()), 'content-length', '0'])
        .end()
  }
}

const isInfo = (bound: AddressInfo | string | null): bound is AddressInfo => typeof bound === 'object' && bound !== null

function whyNot({ code, message }: NodeJS.ErrnoException, { host, port }: Address, own?: Address): string {
  const unless = 'unless the pipeline file has one of its own'
  const setting = `server.port (SERVICE__PORT) sets the port, ${unless}`
  // Most systems open no second socket on a port for an address that the first one has, too.
  if (code === 'EADDRINUSE' && own?.port === port)
    return `${host}:${port} cannot be opened while this gateway listens on ${own.host}:${port}: change server.port as well, or change server.host where it is set and start the gateway again`
  if (code === 'EADDRINUSE')
    return `${host}:${port} is already in use: stop the program that has it, or choose another port; ${setting}`
  if (code === 'EACCES') return `${host}:${port} may not be opened by this user: choose a port above 1023; ${setting}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `cannot listen on ${host}:${port} (${code}): this machine knows no such name; server.host (SERVICE__HOST) takes an address such as 127.0.0.1, ${unless}`
  return `cannot listen on ${host}:${port} (${code ?? message}): server.host (SERVICE__HOST) sets the address, ${unless}`
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What the parser could not read has no path and so no dialect. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, id: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isReplying(socket)) {
    socket.destroy()
    return
  }
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request'
  refuse(socket, id, status, {
    error: 'bad_request',
    message: `the request is not HTTP as it should be (${status})`,
  })
}

const NO_PROXY = {
  error: 'method_not_allowed',
  message: 'CONNECT is for proxies, and this is none; set the base URL of the client to this address instead',
}

function refuse(socket: Duplex, id: string, status: string, reason: { error: string; message: string }): void {
  const body = JSON.stringify(reason)
  const head = [
    `HTTP/1.1 ${status}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    `x-service-request-id: ${id}`,
    'X-Service-Layer: l0',
    'X-Service-Deflected: false',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Node keeps the reply that a socket is busy with here, and its own default asks the same before it writes a 400. */
const isReplying = (socket: Duplex & { _httpMessage?: { headersSent?: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent === true
