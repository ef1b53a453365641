import { checkAdmin } from './administration.ts'
import type { Call, RouteTable } from './call.ts'
import type { WholeAnswer } from './chat/answer.ts'
import { CHAT } from './chat/dialect.ts'
import { dispatch } from './dispatch.ts'
import { isEmbedder, SharedEmbedder } from './embedder-handle.ts'
import { GatewayError } from './errors.ts'
import type { ExchangeKind } from './exchange.ts'
import type { FacetTable } from './facets.ts'
import type { Flow } from './flow.ts'
import type {
  Arrival,
  Clock,
  Host,
  HostLog,
  Inspected,
  LayerHost,
  Looked,
  ObserverHost,
  Status,
  SurfaceHost,
} from './host.ts'
import { instanceLog } from './host-log.ts'
import type { Keep } from './keep.ts'
import type { EmbedderHandle, Judge, Model, Writer } from './model.ts'
import { pointOn, refuseMoved } from './moved.ts'
import { OpenExchange } from './open-exchange.ts'
import type { Instance } from './pipeline/types.ts'
import type { CallSpec, Provider, ProviderHandle } from './provider.ts'
import type { Role } from './role.ts'
import type { Routing } from './routing.ts'
import { serve, type Watch } from './serve.ts'
import type { Store } from './store.ts'
import type { Taps } from './taps.ts'
import { traced, traces } from './traces.ts'

/** What all instances of a generation have in common. */
export interface Surroundings {
  readonly log: HostLog
  readonly clock: Clock
  readonly keep: Keep
  /** See `Host.gateway`. */
  readonly gateway: string
}

/** Roles whose products other plugins ask for by name. */
export type AskedRole = Extract<Role, 'store' | 'model' | 'provider'>

/** The generation, as far as the hosts of its instances need it. */
export interface Wiring extends Watch {
  readonly around: Surroundings
  readonly flows: ReadonlyMap<string, Flow>
  readonly routing: Routing
  readonly facets: FacetTable
  /** How much of each reply is kept for observers, in bytes; `undefined`: nothing. */
  repliesKept: number | undefined
  /** The gateway is shutting down. */
  readonly closing: boolean
  /** The product of a store, model or provider. Throws when nothing of this name is declared. */
  ask(role: AskedRole, name: string, asker: Instance): unknown
  /** Where an instance's plugin was loaded from; `undefined` for a built-in one. */
  fileOf(role: Role, name: string): string | undefined
  /** The routes that these surfaces offer. Throws when one of the names is not declared. */
  routesOf(surfaces: readonly string[], asker: Instance): RouteTable
  status(): Status
}

/** What an instance asked to be called for, in the order it asked. */
export interface Life {
  readonly starts: (() => void | Promise<void>)[]
  readonly readies: (() => void)[]
  readonly disposes: (() => void | Promise<void>)[]
}

/** The host that fits an instance's role, and the record of what the instance does with it. */
export function hostOf(instance: Instance, wiring: Wiring, taps: Taps): { host: Host; life: Life } {
  const life: Life = { starts: [], readies: [], disposes: [] }
  return { host: pointOn('host', roleHost(instance, wiring, taps, life)), life }
}

function roleHost(instance: Instance, wiring: Wiring, { hooks }: Taps, life: Life): Host {
  const { log, clock, keep, gateway } = wiring.around
  const base: Host = {
    name: instance.name,
    log: instanceLog(log, instance.name),
    clock,
    gateway,
    keep: (id, create, dispose) => keep.hold(wiring, id, create, dispose),
    offer: (token, value) => wiring.facets.offer(token, instance, value),
    offers: (token, role) => wiring.facets.offers(token, role),
    onStart: run => void life.starts.push(run),
    onReady: run => void life.readies.push(run),
    onDispose: run => void life.disposes.push(run),
  }
  // The pipeline's reader has checked that each name belongs to a plugin of the role; its product has that role's type.
  const store = (name: string): Store => wiring.ask('store', name, instance) as Store
  const model = (name: string): Model => wiring.ask('model', name, instance) as Model
  const provider = (name: string): Provider => wiring.ask('provider', name, instance) as Provider
  switch (instance.role) {
    case 'layer': {
      const host: LayerHost = {
        ...base,
        hooks,
        store,
        model: name => modelHandle(model(name)),
        provider: name => providerHandle(name, provider(name), wiring),
      }
      return host
    }
    case 'observer': {
      const keepReplies = (bytes: number): void => {
        wiring.repliesKept = Math.max(bytes, wiring.repliesKept ?? 0)
      }
      const host: ObserverHost = { ...base, hooks, store, keepReplies }
      return host
    }
    case 'surface':
      return surfaceHost({ ...base, provider }, instance, wiring)
    default:
      return base
  }
}

const shared = new WeakMap<Model, EmbedderHandle>()

/** One handle for each model, so that its layers share what it computes. */
function modelHandle(model: Model): EmbedderHandle | Judge | Writer {
  if (!isEmbedder(model)) return model
  const handle = shared.get(model) ?? new SharedEmbedder(model)
  shared.set(model, handle)
  return handle
}

function providerHandle(name: string, provider: Provider, wiring: Wiring): ProviderHandle {
  const { flows, around } = wiring
  const asked = { name, provider, log: around.log, file: wiring.fileOf('provider', name) }
  const handle: ProviderHandle = {
    name,
    // A provider may learn its model and its operations when it starts.
    get operations() {
      return provider.operations ?? [CHAT]
    },
    get model() {
      return provider.model
    },
    ...(provider.keys && { keys: () => provider.keys?.() ?? [] }),
    ...(provider.keyTrouble && { keyTrouble: () => provider.keyTrouble?.() }),
    ...(provider.owns && { owns: credential => provider.owns?.(credential) === true }),
    ...(provider.limits && { limits: provider.limits }),
    ...(provider.largerContext === true && { largerContext: true }),
    ...(provider.continues && { continues: (prompt, model) => provider.continues?.(prompt, model) ?? false }),
    attempt(exchange, spec: CallSpec) {
      const flow = flows.get(exchange.flow)
      if (!flow || !(exchange instanceof OpenExchange))
        throw new GatewayError('internal', `a vendor call for an exchange of no flow ("${exchange.flow}")`)
      return dispatch(flow.hooks, exchange, asked, spec)
    },
  }
  return pointOn('provider', handle)
}

function surfaceHost(base: Host & Pick<SurfaceHost, 'provider'>, instance: Instance, wiring: Wiring): SurfaceHost {
  const { routing } = wiring
  const flow = (): Flow => {
    // Refused even where the file names a flow, so that the author sees it with the first request.
    if (!instance.plugin.needsFlow) {
      const what = `surface "${instance.name}" asks a flow and its plugin does not say so: add "needsFlow: true" to its definition`
      throw new GatewayError('internal', what)
    }
    const found = instance.flow === undefined ? undefined : wiring.flows.get(instance.flow)
    if (found) return found
    const what = `surface "${instance.name}" asks a flow and the pipeline file gives it none: add "flow:" to it`
    throw new GatewayError('internal', what)
  }
  const open = (kind: ExchangeKind, arrival: Arrival): OpenExchange => {
    if (wiring.closing) throw new GatewayError('draining', 'the gateway is shutting down')
    return new OpenExchange(arrival, kind, flow().name, instance.name, base.clock.now())
  }
  return {
    ...base,
    route: (method, path, handle, options) => {
      if (options?.format) refuseMoved('dialect', options.format)
      const handleAdmin = async (call: Call): Promise<void> => {
        const exchange = open('admit', arrivalOf(call, instance.name))
        await flow().admit(exchange, () => {
          checkAdmin(call, exchange)
          return handle(call)
        })
      }
      const allowed = options?.admin ? handleAdmin : handle
      const run = (call: Call): Promise<void> | void => {
        if (instance.flow === undefined || !traces.calls.hasSubscribers) return allowed(call)
        return traced(traces.calls, async () => allowed(call), { gateway: base.gateway, route: path, call, memos: {} })
      }
      // Tracked from its first moment: a reload must not dispose what a call has yet to use.
      const tracked = (call: Call): Promise<void> | void => {
        const running = run(call)
        if (running) wiring.track(running)
        return running
      }
      routing.offer({ method, path, handle: tracked, ...options }, instance)
    },
    dialect: (prefix, dialect) => {
      refuseMoved('dialect', dialect)
      routing.claim(prefix, dialect)
    },
    routes: surfaces => (surfaces ? wiring.routesOf(surfaces, instance) : routing.all()),
    serve: (call, dialect, { namespace = instance.name } = {}) => {
      if (!('framing' in dialect)) refuseMoved('dialect', dialect)
      return serve(call, dialect, {
        flow: flow(),
        log: base.log,
        watch: wiring,
        kept: wiring.repliesKept,
        open: read => open('chat', { ...arrivalOf(call, namespace, read), dialect: dialect.name }),
      })
    },
    admit: (call, run) => flow().admit(open('admit', arrivalOf(call, instance.name)), run),
    async lookup(arrival): Promise<Looked> {
      const exchange = open('lookup', arrival)
      const { answer, closed } = flow().handle(exchange)
      wiring.track(closed)
      return { answer: await answer, exchange }
    },
    async inspect(arrival): Promise<Inspected> {
      const exchange = open('inspect', arrival)
      await flow().admit(exchange)
      return { exchange, layers: flow().layers }
    },
    put: (arrival: Arrival, answer: WholeAnswer) => flow().put(open('put', arrival), answer),
    status: () => wiring.status(),
  }
}

const arrivalOf = (call: Call, namespace: string, read?: Arrival['read']): Arrival => ({
  id: call.id,
  namespace,
  headers: call.headers,
  cancellation: call.cancellation,
  call,
  read,
})
