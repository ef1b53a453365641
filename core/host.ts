import type { Call, ErrorDialect, Route, RouteOptions, RouteTable } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import type { Answer, SettledAnswer, WholeAnswer } from './chat/answer.ts'
import type { Dialect } from './chat/dialect.ts'
import type { ChatFormat, Prompt } from './chat/format.ts'
import type { GatewayError } from './errors.ts'
import type { CallLine, Exchange } from './exchange.ts'
import type { Facet } from './facets.ts'
import type { EmbedderHandle, Judge, Writer } from './model.ts'
import type { Attempt, AttemptOutcome, Provider, ProviderHandle } from './provider.ts'
import type { Role } from './role.ts'
import type { Store } from './store.ts'

/** What `apply` is handed, by role. Plugins from outside build on this file. */

/** A line for the operator. Never a key, never prompt text. `fields` are short facts (`{ provider: 'backup' }`). */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** The log as plugins have it. */
export interface HostLog extends Log {
  /**
   * A warning that something works less well than it should, at most once a minute for each `key`: a store or server
   * that is away would else fill the log with one line per request.
   */
  degraded(key: string, message: string, fields?: Record<string, unknown>): void
  /** The end of what `degraded` said, once; the next degradation is said at once. Nothing where it said nothing. */
  recovered(key: string, message: string, fields?: Record<string, unknown>): void
}

/** Time and chance come from here, so that a test can hold both. */
export interface Clock {
  /** Milliseconds since 1970. It jumps when the machine's clock is set. */
  now(): number
  /** Milliseconds since some moment, for spans of time: it never jumps. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` after `ms`, unless the function given back is called first. */
  after(ms: number, run: () => void): () => void
  /** How long to wait for another process where `ms` is useful: a clock that stands still while others work has no end. */
  patience(ms: number): number
  /** In [0, 1). */
  random(): number
  /** 24 characters of [a-z0-9], unique. */
  id(): string
}

/** What every plugin gets. */
export interface Host {
  /** Instance name from the pipeline file. */
  readonly name: string
  readonly log: HostLog
  readonly clock: Clock
  /** Names this running gateway on the wire, so that it knows a request that already came through it. */
  readonly gateway: string
  /**
   * What outlives a reload: made once, shared by every generation that asks for the same `id`, disposed when no
   * generation asks any more. Put into the id what must force a new one (`redis:${url}`).
   */
  keep<T>(id: string, create: () => T, dispose?: (kept: T) => void | Promise<void>): T
  /** Publishes a value of this instance under a facet, for this generation. Tokens: `deflector/facets/*`, or `facet()`. */
  offer<T>(token: Facet<T>, value: T): void
  /**
   * What other instances offer under a facet, by instance name. The map is live: it fills while the generation is wired,
   * and where a reload replaced this generation it shows the one that serves. Names are unique within a role: `role`
   * keeps a provider and a layer of the same name apart.
   */
  offers<T>(token: Facet<T>, role?: Role): ReadonlyMap<string, T>
  /** Open files, load models, bind ports. If it fails, this generation never serves. */
  onStart(run: () => void | Promise<void>): void
  /** This generation is the current one from now on. */
  onReady(run: () => void): void
  /** Give back what `onStart` took. Last acquired, first disposed; must bear never having been started. */
  onDispose(run: () => void | Promise<void>): void
}

/** A tap on an async hook. The returned promise resolves to `undefined` to let the next one run; never `null`. */
export interface AsyncTaps<Args extends unknown[], Result> {
  tapPromise(name: string, run: (...args: Args) => Promise<Result>): void
}

/** A tap on a hook that waits for nothing. */
export interface SyncTaps<Args extends unknown[]> {
  tap(name: string, run: (...args: Args) => void): void
}

/**
 * The hooks of a flow as a plugin sees them: it can tap, it cannot call. A layer's taps of `answer`, `recover` and
 * `settle` run only for operations that its definition names.
 */
export interface LayerHooks {
  /** Admission, in flow order: principal, session and model of the request. Throw to refuse. */
  readonly receive: AsyncTaps<[Exchange], void>
  /** In flow order; the first answer wins. */
  readonly answer: AsyncTaps<[Exchange], Answer | undefined>
  /**
   * Before each vendor call of any layer: quotas, fresh credentials, health. Throw `ProviderError` to send the chain on
   * to the next provider, `GatewayError` to refuse the request.
   */
  readonly attempt: AsyncTaps<[Exchange, Attempt], void>
  /** After each begun attempt, before `settle` and `finish`; also where a tap of `attempt` threw. */
  readonly attempted: SyncTaps<[Exchange, Attempt, AttemptOutcome]>
  /** After a recoverable failure; the first answer wins. */
  readonly recover: AsyncTaps<[Exchange, GatewayError], Answer | undefined>
  /** The whole answer, after the client has it (or while it gets it). Layers see it only if they were asked and had none. */
  readonly settle: AsyncTaps<[Exchange, SettledAnswer], void>
  /** Always, last, once for every exchange that was opened; `exchange.kind` says why it was. */
  readonly finish: SyncTaps<[Exchange]>
}

export interface LayerHost extends Host {
  readonly hooks: LayerHooks
  store(name: string): Store
  model(name: string): EmbedderHandle | Judge | Writer
  provider(name: string): ProviderHandle
}

/** Its hooks are those of every flow. An observer may not answer or refuse: what it throws is a warning. */
export interface ObserverHost extends Host {
  readonly hooks: Pick<LayerHooks, 'attempted' | 'settle' | 'finish'>
  store(name: string): Store
  /**
   * Asks for `exchange.reply`, with at least the first `bytes` of each body. Call it in `apply`: of several observers
   * the largest number counts.
   */
  keepReplies(bytes: number): void
}

export interface SurfaceHost extends Host {
  /** Offers a route. Two routes on one method and path need a `when`, the first that fits takes the call. */
  route(method: string, path: string, handle: (call: Call) => Promise<void> | void, options?: RouteOptions): void
  /** The dialect of failures below this path prefix where no route takes the call. */
  dialect(prefix: string, dialect: ErrorDialect): void
  /**
   * The routes of this generation, for a surface that listens: those that the named surfaces offer, or all. Ask in
   * `apply`, so that an unknown name is found at once; the table is complete in `onStart`.
   */
  routes(surfaces?: readonly string[]): RouteTable
  /**
   * The way of one client request: admit, read, answer, errors in its dialect. A `ChatFormat` serves conversations, any
   * other `Dialect` the operations that its `readHead` names. This and the next four are for surfaces whose definition
   * says `needsFlow`.
   */
  serve(call: Call, dialect: Dialect | ChatFormat, options?: { readonly namespace?: string }): Promise<void>
  /**
   * `receive` alone, for calls without a prompt; throws when refused. Then it runs what replies, so that observers hear of
   * a failure there.
   */
  admit(call: Call, run?: () => Promise<void> | void): Promise<void>
  /** Asks the flow without a client that waits for a model: `undefined` when no layer had an answer. */
  lookup(arrival: Arrival): Promise<Looked>
  /** Admits and reads a request, and asks no layer for an answer: for those who explain what the layers would do. */
  inspect(arrival: Arrival): Promise<Inspected>
  /** An answer from outside enters the caches. */
  put(arrival: Arrival, answer: WholeAnswer): Promise<Stored>
  /** What a provider says of itself. To be asked something it takes a flow. */
  provider(name: string): Pick<Provider, 'model' | 'operations' | 'listModels'>
  status(): Status
}

/** What a surface knows of a request before its body is read. */
export interface Arrival {
  /** The call's. */
  readonly id: string
  readonly namespace: string
  readonly headers: Exchange['headers']
  readonly cancellation: Cancellation
  /** Default: no listener took a call. */
  readonly call?: CallLine | undefined
  /** Name of the dialect; default: that of the prompt, once it is read. */
  readonly dialect?: string | undefined
  /** Reads and decodes the body; called at most once, and only after the headers were accepted. */
  readonly read?: (() => Promise<Prompt>) | undefined
}

export interface Looked {
  readonly exchange: Exchange
  readonly answer: Answer | undefined
}

/** A request that was admitted and read. */
export interface Inspected {
  readonly exchange: Exchange
  /** Names of the layers of its flow, in order. */
  readonly layers: readonly string[]
}

/** What became of an answer from outside. */
export interface Stored {
  /** Has at least one layer kept it? */
  readonly stored: boolean
  /** Why none has, as a layer noted it (`not_storable`, `store_failed`); `no_cache` when none had anything to say. */
  readonly reason?: string
}

export interface Status {
  /** The layers that flows list: instance name, and the label of what it answers. */
  readonly layers: ReadonlyMap<string, string>
  readonly pipeline: string
  readonly generation: number
  /** False until this generation serves, and while it drains. */
  readonly ready: boolean
  readonly startedAt: number
}

export type { Route }
