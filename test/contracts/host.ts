import type {
  Answer,
  Attempt,
  AttemptOutcome,
  Exchange,
  Facet,
  GatewayError,
  LayerHooks,
  Log,
  Model,
  Plugin,
  Provider,
  Role,
  Roles,
  Route,
  SettledAnswer,
  Store,
} from 'deflector'
import { FacetTable } from '../../core/facets.ts'
import { Flow } from '../../core/flow.ts'
import { hostLog } from '../../core/host-log.ts'
import { hostOf, type Wiring } from '../../core/hosts.ts'
import { Keep } from '../../core/keep.ts'
import type { Tapper } from '../../core/open-exchange.ts'
import type { Instance } from '../../core/pipeline/types.ts'
import { Routing } from '../../core/routing.ts'
import { Taps } from '../../core/taps.ts'
import { ManualClock } from './clock.ts'
import { asTestExchange } from './exchange.ts'

export { Keep } from '../../core/keep.ts'
export { ManualClock } from './clock.ts'
export { type ExchangeFacts, TestExchange } from './exchange.ts'
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
  readonly kept?: Keep
  readonly stores?: Readonly<Record<string, Store>>
  readonly models?: Readonly<Record<string, Model>>
  readonly providers?: Readonly<Record<string, Provider>>
  /** Taps of a layer in the flow, beside the plugin's own: what a surface's requests meet. */
  readonly flow?: (hooks: LayerHooks) => void
  /** The same for a layer that the flow lists before the plugin. */
  readonly before?: (hooks: LayerHooks) => void
  /** Lets other instances offer something. */
  readonly offers?: (facets: FacetTable) => void
}

/** The hooks from the other side: what the gateway would call. */
export interface HookCalls {
  receive(exchange: Exchange): Promise<void>
  answer(exchange: Exchange): Promise<Answer | undefined>
  attempt(exchange: Exchange, attempt: Attempt): Promise<void>
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void
  recover(exchange: Exchange, failure: GatewayError): Promise<Answer | undefined>
  settle(exchange: Exchange, answer: SettledAnswer): Promise<void>
  finish(exchange: Exchange): void
}

export interface TestHost<R extends Role> {
  /** What the plugin's `apply` is handed. */
  readonly host: Roles[R]['host']
  readonly clock: ManualClock
  readonly kept: Keep
  readonly logged: readonly Logged[]
  /** Names of the hooks that were tapped, each once. */
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
  /** What the plugin offers under a facet. */
  offer<T>(token: Facet<T>): T | undefined
}

const FLOW = 'test'

/**
 * A host for one plugin under test: the gateway's own, around a real flow, and in the test's hands. It calls the hooks,
 * moves the clock, starts, reloads and disposes, and looks at what was logged.
 */
export function testHost<R extends Role>(role: R, given: HostGiven = {}): TestHost<R> {
  const { name = 'under-test', clock = new ManualClock(), kept = new Keep() } = given
  const logged: Logged[] = []
  const line =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields = {}) =>
      void logged.push({ level, message, fields })
  const log = hostLog({ debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }, clock)
  const flow = new Flow(FLOW, log)
  const routing = new Routing()
  const facets = new FacetTable({ table: undefined })
  const asked = { store: given.stores, model: given.models, provider: given.providers }
  let ready = false

  const wiring: Wiring = {
    around: { log, clock, keep: kept, gateway: 'this-gateway' },
    flows: new Map([[FLOW, flow]]),
    routing,
    facets,
    closing: false,
    repliesKept: undefined,
    ask(role, wanted) {
      const found = role === 'store' || role === 'model' || role === 'provider' ? asked[role]?.[wanted] : undefined
      if (found === undefined) throw new Error(`the test gave no ${role} called "${wanted}"`)
      return found
    },
    fileOf: () => undefined,
    routesOf: surfaces => routing.only(surfaces),
    status: () => ({ layers: new Map([['auth', 'l0']]), pipeline: 'test.yaml', generation: 1, ready, startedAt: 0 }),
    track: () => {},
    onCut: () => () => {},
  }
  // The label and the operations are the plugin's, which is known when it is applied.
  const tapper: { -readonly [K in keyof Tapper]: Tapper[K] } = {
    name,
    label: name,
    deflects: false,
    observes: role === 'observer',
  }
  const taps = new Taps(tapper)
  const instance: Instance & { plugin: Plugin } = {
    role,
    name,
    plugin: NO_PLUGIN,
    options: {},
    flow: FLOW,
    at: { line: 1, column: 1 },
  }
  const { host, life } = hostOf(instance, wiring, taps)
  given.offers?.(facets)
  const others = new Taps({ name: 'others', label: 'l0', deflects: false, observes: false })
  given.flow?.(others.hooks)
  const before = new Taps({ name: 'before', label: 'l0', deflects: false, observes: false })
  given.before?.(before.hooks)

  let wired: Flow | undefined
  /** The flow with all its taps. */
  const whole = (): Flow => {
    if (wired) return wired
    before.replay(flow.hooks)
    taps.replay(flow.hooks)
    others.replay(flow.hooks)
    wired = flow
    return wired
  }
  // A surface's requests come over its routes, at any time.
  if (role === 'surface') queueMicrotask(whole)

  return {
    host: host as Roles[R]['host'], // its role chose it
    clock,
    kept,
    logged,
    get tapped() {
      return HOOKS.filter(hook => whole().hooks[hook].taps.length > 0)
    },
    call: {
      receive: exchange => whole().hooks.receive.promise(asTestExchange(exchange)),
      answer: exchange => whole().hooks.answer.promise(asTestExchange(exchange)),
      attempt: (exchange, attempt) => whole().hooks.attempt.promise(asTestExchange(exchange), attempt),
      attempted: (exchange, ...rest) => whole().hooks.attempted.call(asTestExchange(exchange), ...rest),
      recover: (exchange, failure) => whole().hooks.recover.promise(asTestExchange(exchange), failure),
      settle(exchange, answer) {
        const open = asTestExchange(exchange)
        open.bring(answer)
        return whole().hooks.settle.promise(open, answer)
      },
      finish: exchange => whole().hooks.finish.call(asTestExchange(exchange)),
    },
    get routes() {
      return routing.routes
    },
    get starts() {
      return life.starts.length
    },
    get disposes() {
      return life.disposes.length
    },
    apply(plugin, options = {}) {
      if (plugin.role !== role) throw new Error(`${plugin.name} is a ${plugin.role}, not a ${role}`)
      if (role === 'layer') {
        Object.assign(tapper, { label: plugin.label, deflects: plugin.deflects, spans: plugin.spans })
        if (!plugin.operations.includes('*')) tapper.operations = new Set(plugin.operations)
      }
      // A test may apply a listener beside the surface under test: either may need the flow.
      const needsFlow = plugin.needsFlow || (instance.plugin !== NO_PLUGIN && instance.plugin.needsFlow)
      instance.plugin = { ...plugin, needsFlow }
      // The plugin's own schema made the options and its role chose the host: the gateway has the same seam.
      return plugin.apply(host as never, plugin.options.parse(options) as never) as Roles[R]['gives']
    },
    async start() {
      for (const run of life.starts) await run()
    },
    ready() {
      ready = true
      facets.serve()
      for (const run of life.readies) run()
    },
    async dispose() {
      for (const run of life.disposes.toReversed()) await run()
      await kept.release(wiring)
    },
    offer: token => facets.offers(token, role).get(name),
  }
}

const HOOKS = ['receive', 'answer', 'attempt', 'attempted', 'recover', 'settle', 'finish'] as const

/** `hostOf` asks an instance for its role and name; what it applies is the test's to say. A bare host may ask the flow. */
const NO_PLUGIN: Plugin = { role: 'layer', name: 'none', needsFlow: true } as never
