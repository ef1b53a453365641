import type { Cancellation } from './cancellation.ts'
import type { Format } from './chat/format.ts'
import type { GatewayError } from './errors.ts'
import type { Answer, Exchange, Prompt, WholeAnswer } from './exchange.ts'

/** What `apply` is handed, by role, and what stores, models and providers promise. Strangers build on this file. */

/** A line for the operator. Never a key, never prompt text. `fields` are short facts (`{ provider: 'backup' }`). */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** Time and chance come from here, so that a test can hold both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` after `ms`, unless the function given back is called first. */
  after(ms: number, run: () => void): () => void
  /** In [0, 1). */
  random(): number
  /** 24 characters of [a-z0-9], unique. */
  id(): string
}

/** What an instance says of itself in `/health`. */
export interface Report {
  readonly status: 'active' | 'disabled' | 'degraded' | 'no_credential'
}

/** What every plugin gets. */
export interface Host {
  /** Instance name from the pipeline file. */
  readonly name: string
  readonly log: Log
  readonly clock: Clock
  /** Names this running gateway on the wire, so that it knows a request that already came through it. */
  readonly gateway: string
  /**
   * What outlives a reload: made once, shared by every generation that asks for the same `id`, disposed when no
   * generation asks any more. Put into the id what must force a new one (`redis:${url}`).
   */
  keep<T>(id: string, create: () => T, dispose?: (kept: T) => void | Promise<void>): T
  /** Open files, load models, bind ports. If it fails, this generation never serves. */
  onStart(run: () => void | Promise<void>): void
  /** This generation is the current one from now on. */
  onReady(run: () => void): void
  /** Give back what `onStart` took. Last acquired, first disposed; must bear never having been started. */
  onDispose(run: () => void | Promise<void>): void
  /** Called whenever somebody asks `/health`. */
  report(describe: () => Report): void
}

/** A tap on an async hook. The returned promise resolves to `undefined` to let the next one run; never `null`. */
export interface AsyncTaps<Args extends unknown[], Result> {
  tapPromise(name: string, run: (...args: Args) => Promise<Result>): void
}

/** The five hooks of a flow as a plugin sees them: it can tap, it cannot call. */
export interface LayerHooks {
  /** At admission, in flow order: who asks, in which session, for which model. Throw to refuse. */
  readonly receive: AsyncTaps<[Exchange], void>
  /** In flow order; the first answer wins. */
  readonly answer: AsyncTaps<[Exchange], Answer | undefined>
  /** After a recoverable failure; the first answer wins. */
  readonly recover: AsyncTaps<[Exchange, GatewayError], Answer | undefined>
  /** The whole answer, after the client has it (or while it gets it). Layers see it only if they were asked and had none. */
  readonly settle: AsyncTaps<[Exchange, WholeAnswer], void>
  /** Always, last. */
  readonly finish: { tap(name: string, run: (exchange: Exchange) => void): void }
}

export interface LayerHost extends Host {
  readonly hooks: LayerHooks
  store(name: string): Store
  model(name: string): Embedder | Writer
  provider(name: string): Provider
  /**
   * For a layer that keeps answers: lets the operator look into what it keeps, and take out of it. What is handed back
   * makes the other layers forget requests, for a layer that learns from elsewhere that they have to be forgotten.
   */
  cache(controls: CacheControls): (requestIds: readonly string[]) => Promise<void>
}

/** What the operator may ask of a layer that keeps answers. */
export interface CacheControls {
  /** Counts by name, in snake_case: since the process began (`hits`), or as they are now (`entries`). */
  stats(): Promise<Readonly<Record<string, number>>> | Readonly<Record<string, number>>
  /** Throws `GatewayError` when what keeps the answers cannot be emptied. */
  clear(): Promise<void>
  /** Takes out what this request was given or stored, so that nobody gets it again. False: there is nothing of it. */
  forget(requestId: string): Promise<boolean>
  /** The request that stored what this one was given, where that was another. Asked before `forget`. */
  origin?(requestId: string): string | undefined
  /** Other requests that were given the same answer here: what other layers kept of it under their ids has to go too. */
  copies?(requestId: string): readonly string[]
}

/** Its hooks are those of every flow. An observer may not answer or refuse: what it throws is a warning. */
export interface ObserverHost extends Host {
  readonly hooks: Pick<LayerHooks, 'settle' | 'finish'>
  store(name: string): Store
  /** How traces name a layer, by its label: `l3` is recorded as `L3_Cloud`. */
  traceName(label: string): string
}

export interface SurfaceHost extends Host {
  /** Offers a route. Two routes on one method and path need a `when`, the first that fits takes the call. */
  route(method: string, path: string, handle: (call: Call) => Promise<void> | void, options?: RouteOptions): void
  /** In which dialect a failure below this path prefix is told when no route is there to tell it. */
  dialect(prefix: string, format: Pick<Format, 'encodeError'>): void
  /**
   * The routes of this generation, for a surface that listens: those that the named surfaces offer, or all. Ask in
   * `apply`, so that a name which nothing bears is found at once; the table is complete in `onStart`.
   */
  routes(surfaces?: readonly string[]): RouteTable
  /** The way of one chat request: admit, read, answer in `format`, errors in its dialect. */
  serve(call: Call, format: Format, options?: { readonly namespace?: string }): Promise<void>
  /** `receive` alone, for calls without a prompt; throws when refused. */
  admit(call: Call): Promise<void>
  /** An exchange by hand: `undefined` when no layer of the flow had an answer. */
  handle(arrival: Arrival): Promise<Handled>
  /** An answer from outside enters the caches. */
  put(arrival: Arrival, answer: WholeAnswer): Promise<Stored>
  /** What a provider says of itself. To be asked something it takes a flow. */
  provider(name: string): Pick<Provider, 'model'>
  status(): Status
  /** The layers that keep answers, by instance name. */
  caches(): ReadonlyMap<string, CacheControls>
}

export interface RouteOptions {
  readonly when?: (headers: Call['headers']) => boolean
  /** Dialect of what goes wrong around this route. */
  readonly format?: Pick<Format, 'encodeError'>
}

export interface Route extends RouteOptions {
  readonly method: string
  /** Express style: `/v1/models/:id`. */
  readonly path: string
  /** Instance name of the surface that offers it. */
  readonly by: string
  handle(call: Call): Promise<void> | void
}

export interface RouteTable {
  readonly routes: readonly Route[]
  dialectOf(path: string): Pick<Format, 'encodeError'> | undefined
}

/** What a surface knows when a request knocks. */
export interface Arrival {
  /** The call's. */
  readonly id: string
  readonly namespace: string
  readonly headers: Exchange['headers']
  readonly cancellation: Cancellation
  /** Reads and decodes the body; called at most once, and only after the headers were accepted. */
  readonly read?: (() => Promise<Prompt>) | undefined
}

export interface Handled {
  readonly exchange: Exchange
  readonly answer: Answer | undefined
}

/** What became of an answer from outside. */
export interface Stored {
  /** Has at least one layer kept it? */
  readonly stored: boolean
  /** Why none has, as a layer noted it (`not_storable`, `store_failed`); `no_cache` when none had anything to say. */
  readonly reason?: string
}

/** One HTTP call, whoever listens. */
export interface Call {
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
  /** Begins a server-sent event stream; `keepAlive` is written while nothing else is. */
  open(headers: Record<string, string>, keepAlive: string): Outlet
}

export interface Outlet {
  /** Resolves when the client can take more. After the client left it does nothing. */
  write(text: string): Promise<void> | void
  end(): void
}

export interface Status {
  /** Label of each layer that the pipeline declares, and how it is. */
  readonly layers: Readonly<Record<string, Report['status']>>
  readonly pipeline: string
  readonly generation: number
  /** False until this generation serves, and while it drains. */
  readonly ready: boolean
  readonly startedAt: number
}

/** Values are bytes: what is stored is what is served. */
export interface Store {
  /** What keeps the entries, for traces: `memory`, `redis`. */
  readonly backend?: string
  /** `fresh` is false for an entry past its time to live that is still kept for `recover`. */
  get(key: string): Promise<StoreEntry | undefined>
  /** Throws only when the store is broken; a full one evicts. The bytes are the store's from then on. */
  set(key: string, value: Uint8Array, life: StoreLife): Promise<void>
  delete(key: string): Promise<boolean>
  /** Deletes every entry. Absent where the store cannot tell its own entries from others'. */
  clear?(): Promise<void>
  /** How many entries there are; may take a while, and be off by those that come and go meanwhile. */
  size?(): Promise<number>
  /**
   * Only stores that several gateways share have it: hands over every entry whose key begins with `prefix`, those that
   * are there first, then each as somebody writes it, until the signal aborts. `value` is absent for a deleted one; the
   * bare prefix without a value means that the store was cleared. Entries of more than a megabyte may be left out.
   */
  follow?(prefix: string, seen: (key: string, value: Uint8Array | undefined) => void, signal: AbortSignal): void
}

export interface StoreEntry {
  readonly value: Uint8Array
  readonly fresh: boolean
}

export interface StoreLife {
  readonly ttlSecs: number
  /** How long after `ttlSecs` the entry may still serve as a stale answer. */
  readonly staleSecs: number
}

/** One attempt at one vendor. */
export interface Provider {
  /**
   * Credentials, by preference. Absent: the vendor needs none. Empty: one is needed and none is configured.
   * Asked anew for every call.
   */
  keys?(): readonly ProviderKey[]
  /** The model to ask for when the client named none, or when the chain falls back to this provider. */
  readonly model?: string
  /**
   * Whole, or live when `call.stream` and the vendor streams. A live answer is returned at its first event, so that a
   * failure before it can still go to the next provider. Throws `ProviderError`.
   */
  complete(call: ProviderCall): Promise<Answer>
}

export interface ProviderKey {
  readonly key: string
  readonly label?: string
  /** Lower is preferred, under the `priority` strategy. */
  readonly priority?: number
}

export interface ProviderCall {
  readonly prompt: Prompt
  readonly model: string | undefined
  readonly stream: boolean
  readonly key: string | undefined
  readonly requestId: string
  /** Client headers, for those few that a vendor's format defines (`anthropic-beta`). */
  readonly headers: Exchange['headers']
  /** Cancelled when everybody who waits has left, or when the time for a first byte is over. */
  readonly cancellation: Cancellation
  /** The same as a signal; it costs more, so it is made when asked for. */
  readonly signal: AbortSignal
}

/** Sentences to vectors of unit length, one for each text, in order. */
export interface Embedder {
  readonly dimensions: number
  /**
   * Names the weights, once started: vectors of two embedders may be compared when theirs are equal. It is part of
   * every key under which vectors are shared.
   */
  readonly fingerprint?: string
  /**
   * `cancellation` says that nobody waits any more, so that work which was not begun can be dropped. Its reason is called
   * `TimeoutError` where the model was too slow. Ask for its `signal` only where one is needed: that costs more.
   */
  embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]>
}

/** A small local model that writes text. */
export interface Writer {
  write(
    prompt: { readonly system?: string; readonly user: string; readonly maxTokens: number },
    signal: AbortSignal,
  ): Promise<string>
}
