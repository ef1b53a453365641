import { GatewayError } from './errors.ts'
import type { WholeAnswer } from './exchange.ts'
import type { Flow } from './flow.ts'
import type { Generation } from './generation.ts'
import type {
  Arrival,
  CacheControls,
  Call,
  Embedder,
  Handled,
  Host,
  LayerHost,
  ObserverHost,
  Provider,
  Report,
  Store,
  SurfaceHost,
  Writer,
} from './host.ts'
import { OpenExchange } from './open-exchange.ts'
import type { Instance } from './pipeline/types.ts'
import { serve } from './serve.ts'
import { Taps } from './tap-recorder.ts'
import { traces } from './traces.ts'

/** What an instance asked to be called for, in the order it asked. */
export interface Life {
  readonly starts: (() => void | Promise<void>)[]
  readonly readies: (() => void)[]
  readonly disposes: (() => void | Promise<void>)[]
  report: (() => Report) | undefined
  cache: CacheControls | undefined
}

/** The host that fits an instance's role, and the record of what the instance does with it. */
export function hostOf(instance: Instance, generation: Generation, taps?: Taps): { host: Host; life: Life } {
  const life: Life = { starts: [], readies: [], disposes: [], report: undefined, cache: undefined }
  const { log, clock, keep, gateway } = generation.around
  const base: Host = {
    name: instance.name,
    log,
    clock,
    gateway,
    keep: (id, create, dispose) => keep.hold(generation, id, create, dispose),
    onStart: run => void life.starts.push(run),
    onReady: run => void life.readies.push(run),
    onDispose: run => void life.disposes.push(run),
    report: describe => {
      life.report = describe
    },
  }
  // The pipeline's reader has checked that each name belongs to a plugin of the role; its product has that role's type.
  const store = (name: string): Store => generation.ask('store', name, instance) as Store
  const model = (name: string): Embedder | Writer => generation.ask('model', name, instance) as Embedder | Writer
  const provider = (name: string): Provider => generation.ask('provider', name, instance) as Provider
  switch (instance.role) {
    case 'layer': {
      const cache: LayerHost['cache'] = controls => {
        life.cache = controls
        return ids => generation.forgetBeside(instance.name, ids)
      }
      const host: LayerHost = { ...base, hooks: hooksOf(instance, taps), store, model, provider, cache }
      return { host, life }
    }
    case 'observer': {
      const traceName = (label: string): string => generation.traceName(label)
      const host: ObserverHost = { ...base, hooks: hooksOf(instance, taps), store, traceName }
      return { host, life }
    }
    case 'surface':
      return { host: surfaceHost({ ...base, provider }, instance, generation), life }
    default:
      return { host: base, life }
  }
}

const hooksOf = (instance: Instance, taps: Taps | undefined): Taps['hooks'] =>
  (taps ?? new Taps({ name: instance.name, label: instance.plugin.label, deflects: false, observes: true })).hooks

function surfaceHost(
  base: Host & Pick<SurfaceHost, 'provider'>,
  instance: Instance,
  generation: Generation,
): SurfaceHost {
  const { routing } = generation
  const flow = (): Flow => {
    const found = instance.flow === undefined ? undefined : generation.flows.get(instance.flow)
    if (!found) throw new GatewayError('internal', `surface "${instance.name}" needs a flow in the pipeline file`)
    return found
  }
  const open = (arrival: Arrival): OpenExchange => {
    if (generation.closing) throw new GatewayError('draining', 'the gateway is shutting down')
    return new OpenExchange(arrival, flow().name, instance.name, base.clock.now())
  }
  return {
    ...base,
    route: (method, path, handle, options) => {
      const run = (call: Call): Promise<void> | void => {
        if (instance.flow === undefined || !traces.calls.hasSubscribers) return handle(call)
        return traces.calls.tracePromise(async () => handle(call), { gateway: base.gateway, route: path, call })
      }
      // Tracked from its first moment: a reload must not dispose what a call has yet to use.
      const tracked = (call: Call): Promise<void> | void => {
        const running = run(call)
        if (running) generation.track(running)
        return running
      }
      routing.offer({ method, path, handle: tracked, ...options }, instance)
    },
    dialect: (prefix, format) => routing.claim(prefix, format),
    routes: surfaces => (surfaces ? generation.routesOf(surfaces, instance) : routing.all()),
    serve: (call, format, { namespace } = {}) =>
      serve(flow(), call, format, read => open(arrivalOf(call, namespace ?? instance.name, read)), generation),
    admit: call => flow().admit(open(arrivalOf(call, instance.name))),
    async handle(arrival): Promise<Handled> {
      const exchange = open(arrival)
      const { answer, closed } = flow().handle(exchange)
      generation.track(closed)
      return { answer: await answer, exchange }
    },
    put: (arrival: Arrival, answer: WholeAnswer) => flow().put(open(arrival), answer),
    status: () => generation.status(),
    caches: () => generation.caches(),
  }
}

const arrivalOf = ({ id, headers, cancellation }: Call, namespace: string, read?: Arrival['read']): Arrival => ({
  id,
  namespace,
  headers,
  cancellation,
  read,
})
