import type { Cancellation } from './cancellation.ts'
import type { Dialect, HeadCall } from './chat/dialect.ts'

/** One HTTP call, whatever listener took it. */
export interface Call extends HeadCall {
  /** Sent back as `x-service-request-id`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Lower-case names; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The peer's address. */
  readonly remote: string
  /** The client that a proxy took this call for, which was meant for a vendor; absent for calls to the gateway itself. */
  readonly proxied?: string | undefined
  /** Of the reply, once its head is out. */
  readonly status: number | undefined
  /** Cancelled when the client leaves; its signal is `signal`, which costs more. */
  readonly cancellation: Cancellation
  readonly signal: AbortSignal
  /** Milliseconds a stream's head waits for the first event, so that a failure can still have its status. */
  readonly headWaitMs: number
  /** The whole body, decompressed. Throws `too_large` above `limit` bytes (default: the listener's), `unsupported_media`. */
  body(limit?: number): Promise<Uint8Array>
  send(status: number, headers: Record<string, string>, body?: string | Uint8Array): void
  /** Begins a stream. `headers` hold its content type; `keepAlive` is written while nothing else is. */
  open(headers: Record<string, string>, keepAlive: string): Outlet
}

export interface Outlet {
  /** Resolves when the client can take more. After the client left it does nothing. */
  write(text: string): Promise<void> | void
  end(): void
}

/** The part of a dialect that tells an error. */
export type ErrorDialect = Pick<Dialect, 'encodeError'>

export interface RouteOptions {
  readonly when?: (headers: Call['headers']) => boolean
  /** Dialect of what goes wrong around this route. */
  readonly format?: ErrorDialect
  /** Host names under which this route is served besides those of the listener; pages of these hosts may ask it. */
  readonly hosts?: readonly string[]
  /**
   * For the operator only: the surface's flow admits each call before `handle` has it, and its key has to be one that may
   * administer. Without any key only this machine may change something.
   */
  readonly admin?: boolean
}

export interface Route extends RouteOptions {
  readonly method: string
  /** Express style: `/v1/models/:id`. */
  readonly path: string
  /** Instance name of the surface that offers it. */
  readonly by: string
  /** Where its plugin was loaded from, for the log; absent for a built-in one. */
  readonly file?: string
  handle(call: Call): Promise<void> | void
}

export interface RouteTable {
  readonly routes: readonly Route[]
  dialectOf(path: string): ErrorDialect | undefined
}
