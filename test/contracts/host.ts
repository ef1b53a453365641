import type {
  Answer,
  AsyncTaps,
  CacheControls,
  Embedder,
  Exchange,
  GatewayError,
  Host,
  LayerHooks,
  LayerHost,
  Log,
  ObserverHost,
  Plugin,
  Provider,
  Report,
  Role,
  Roles,
  Route,
  Store,
  SurfaceHost,
  WholeAnswer,
  Writer,
} from 'deflector'
import { ManualClock } from './clock.ts'
import { Kept } from './kept.ts'

export { ManualClock } from './clock.ts'
export { type ExchangeFacts, TestExchange } from './exchange.ts'
export { Kept } from './kept.ts'
export { plainFormat, plainPrompt } from './plain-format.ts'

export interface Logged {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a test host is made of; everything has a default. */
export interface HostGiven {
  /** Instance name. */
  readonly name?: string
  readonly clock?: ManualClock
  /** That of an earlier host, to play a reload. */
  readonly kept?: Kept
  readonly stores?: Readonly<Record<string, Store>>
  readonly models?: Readonly<Record<string, Embedder | Writer>>
  readonly providers?: Readonly<Record<string, Provider>>
  /** What a surface may ask of the gateway. What is not given fails when called. */
  readonly gateway?: Partial<Pick<SurfaceHost, 'serve' | 'admit' | 'handle' | 'put' | 'status' | 'caches'>>
}

/** The hooks from the other side: what the gateway would call. */
export interface HookCalls {
  receive(exchange: Exchange): Promise<void>
  answer(exchange: Exchange): Promise<Answer | undefined>
  recover(exchange: Exchange, failure: GatewayError): Promise<Answer | undefined>
  settle(exchange: Exchange, answer: WholeAnswer): Promise<void>
  finish(exchange: Exchange): void
}

export interface TestHost<R extends Role> {
  /** What the plugin's `apply` is handed. */
  readonly host: Roles[R]['host']
  readonly clock: ManualClock
  readonly kept: Kept
  readonly logged: readonly Logged[]
  /** Names of the hooks that were tapped, in order. */
  readonly tapped: readonly (keyof LayerHooks)[]
  readonly call: HookCalls
  /** What a surface offered. */
  readonly routes: readonly Route[]
  /** How many `onStart` callbacks wait for `start`. */
  readonly starts: number
  readonly disposes: number
  /** Checks `options` as the pipeline would, then applies the plugin. */
  apply(plugin: Plugin, options?: unknown): Roles[R]['gives']
  start(): Promise<void>
  ready(): void
  /** Last acquired, first disposed; then lets go of what was kept. */
  dispose(): Promise<void>
  report(): Report | undefined
  /** What a layer offers to the operator. */
  cache(): CacheControls | undefined
  /** Ids of requests that it had other layers forget. */
  readonly forgottenBeside: readonly string[]
}

/**
 * A host for one plugin under test. It does what the gateway's own does, and lets the test play the gateway: call the
 * hooks, move the clock, start, reload, dispose, and look at what was logged.
 */
export function testHost<R extends Role>(role: R, given: HostGiven = {}): TestHost<R> {
  const clock = given.clock ?? new ManualClock()
  const kept = given.kept ?? new Kept()
  const logged: Logged[] = []
  const holder = {}
  const starts: (() => void | Promise<void>)[] = []
  const readies: (() => void)[] = []
  const disposes: (() => void | Promise<void>)[] = []
  let describe: (() => Report) | undefined
  let offered: CacheControls | undefined
  const forgottenBeside: string[] = []

  const line =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields = {}) =>
      void logged.push({ level, message, fields })
  const base: Host = {
    name: given.name ?? 'under-test',
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    clock,
    gateway: 'this-gateway',
    keep: (id, create, dispose) => kept.hold(holder, id, create, dispose),
    onStart: run => void starts.push(run),
    onReady: run => void readies.push(run),
    onDispose: run => void disposes.push(run),
    report: described => {
      describe = described
    },
  }
  const { hooks, call, tapped } = recordedHooks()
  const asked = {
    store: pick('store', given.stores),
    model: pick('model', given.models),
    provider: pick('provider', given.providers),
  }
  const cache: LayerHost['cache'] = desk => {
    offered = desk
    return async ids => void forgottenBeside.push(...ids)
  }
  const layer: LayerHost = { ...base, hooks, ...asked, cache }
  const observer: ObserverHost = { ...base, hooks, store: asked.store, traceName: label => label }
  const routes: Route[] = []
  const surface: SurfaceHost = surfaceHost({ ...base, provider: asked.provider }, routes, given.gateway ?? {})
  const hosts: { readonly [K in Role]: Roles[K]['host'] } = {
    store: base,
    model: base,
    provider: base,
    layer,
    observer,
    surface,
  }

  return {
    host: hosts[role],
    clock,
    kept,
    logged,
    tapped,
    call,
    routes,
    get starts() {
      return starts.length
    },
    get disposes() {
      return disposes.length
    },
    apply(plugin, options = {}) {
      if (plugin.role !== role) throw new Error(`${plugin.name} is a ${plugin.role}, not a ${role}`)
      // The plugin's own schema made the options and its role chose the host: the gateway has the same seam.
      return plugin.apply(hosts[role] as never, plugin.options.parse(options) as never) as Roles[R]['gives']
    },
    async start() {
      for (const run of starts) await run()
    },
    ready() {
      for (const run of readies) run()
    },
    async dispose() {
      for (const run of disposes.toReversed()) await run()
      await kept.release(holder)
    },
    report: () => describe?.(),
    cache: () => offered,
    forgottenBeside,
  }
}

function recordedHooks(): { hooks: LayerHooks; call: HookCalls; tapped: (keyof LayerHooks)[] } {
  const tapped: (keyof LayerHooks)[] = []
  const recorder = <Args extends unknown[], Result>(hook: keyof LayerHooks) => {
    const runs: ((...args: Args) => Promise<Result>)[] = []
    const taps: AsyncTaps<Args, Result> = {
      tapPromise(_, run) {
        tapped.push(hook)
        runs.push(run)
      },
    }
    return { taps, runs }
  }
  const receive = recorder<[Exchange], void>('receive')
  const answer = recorder<[Exchange], Answer | undefined>('answer')
  const recover = recorder<[Exchange, GatewayError], Answer | undefined>('recover')
  const settle = recorder<[Exchange, WholeAnswer], void>('settle')
  const finishes: ((exchange: Exchange) => void)[] = []
  return {
    tapped,
    hooks: {
      receive: receive.taps,
      answer: answer.taps,
      recover: recover.taps,
      settle: settle.taps,
      finish: {
        tap(_, run) {
          tapped.push('finish')
          finishes.push(run)
        },
      },
    },
    call: {
      async receive(exchange) {
        for (const run of receive.runs) await run(exchange)
      },
      answer: exchange => firstOf(answer.runs, exchange),
      recover: (exchange, failure) => firstOf(recover.runs, exchange, failure),
      async settle(exchange, whole) {
        for (const run of settle.runs) await run(exchange, whole)
      },
      finish(exchange) {
        for (const run of finishes) run(exchange)
      },
    },
  }
}

/** The first answer wins. `null` would end the chain of layers without one, so it is refused here. */
async function firstOf<Args extends unknown[]>(
  runs: readonly ((...args: Args) => Promise<Answer | undefined>)[],
  ...args: Args
): Promise<Answer | undefined> {
  for (const run of runs) {
    const answer: unknown = await run(...args)
    if (answer === null) throw new Error('a tap gave null; to pass on it gives undefined')
    if (answer !== undefined) return answer as Answer
  }
  return undefined
}

const pick =
  <T>(role: string, from: Readonly<Record<string, T>> = {}) =>
  (name: string): T => {
    const found = from[name]
    if (found === undefined) throw new Error(`the test gave no ${role} called "${name}"`)
    return found
  }

function surfaceHost(
  base: Host & Pick<SurfaceHost, 'provider'>,
  routes: Route[],
  gateway: NonNullable<HostGiven['gateway']>,
): SurfaceHost {
  const prefixes: { prefix: string; format: Parameters<SurfaceHost['dialect']>[1] }[] = []
  const missing = (name: string) => (): never => {
    throw new Error(`the test gave no gateway.${name}`)
  }
  return {
    ...base,
    route: (method, path, handle, options) => void routes.push({ method, path, handle, by: base.name, ...options }),
    dialect: (prefix, format) => void prefixes.push({ prefix, format }),
    routes: surfaces => ({
      routes: surfaces ? routes.filter(({ by }) => surfaces.includes(by)) : routes,
      dialectOf: path =>
        prefixes.filter(({ prefix }) => path.startsWith(prefix)).sort((a, b) => b.prefix.length - a.prefix.length)[0]
          ?.format,
    }),
    serve: missing('serve'),
    admit: missing('admit'),
    handle: missing('handle'),
    put: missing('put'),
    status: missing('status'),
    caches: missing('caches'),
    ...gateway,
  }
}
