import { setImmediate as nextTurn } from 'node:timers/promises'
import { Flow } from './flow.ts'
import type { CacheControls, Clock, Log, Report, RouteTable, Status } from './host.ts'
import { hostOf, type Life } from './hosts.ts'
import type { Keep } from './keep.ts'
import type { Instance, Pipeline, Problem } from './pipeline/types.ts'
import type { Plugin, Role } from './plugin.ts'
import { Routing } from './routing.ts'
import { Taps } from './tap-recorder.ts'

export interface Surroundings {
  readonly log: Log
  readonly clock: Clock
  readonly keep: Keep
  /** See `Host.gateway`. */
  readonly gateway: string
  /** Counts up with every reload. */
  readonly number: number
}

/** A pipeline that reads well but does not fit together: a store is named that nobody declares. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  constructor(
    readonly problem: Problem,
    /** What was asked for and is not there. */
    readonly wanted: { readonly role: Role; readonly name: string },
  ) {
    super(problem.message)
  }
}

/** Start order: what others lean on comes first. Disposed the other way round. */
const INSIDE_OUT: readonly Role[] = ['store', 'model', 'provider', 'layer', 'observer', 'surface']

/** Milliseconds before the end of the grace in which those who still wait are told. */
const LAST_WORDS = 500

interface Applied extends Life {
  readonly instance: Instance
  readonly product: unknown
}

/**
 * One reading of the pipeline file, wired: built inside out, started, made ready, drained, disposed. Building does no
 * I/O, so a file can be built just to see whether it fits together.
 */
export class Generation {
  readonly flows = new Map<string, Flow>()
  readonly routing = new Routing()
  readonly #applied = new Map<Instance, Applied>()
  /** Calls and exchanges on their way. */
  #open = 0
  #idle: (() => void) | undefined
  readonly #cuts = new Set<{ run?: () => void }>()
  readonly #closed = (): void => {
    if (--this.#open === 0) this.#idle?.()
  }
  readonly startedAt: number
  #ready = false
  #closing = false

  private constructor(
    readonly pipeline: Pipeline,
    readonly around: Surroundings,
  ) {
    this.startedAt = around.clock.now()
  }

  /** Throws `BuildError`, or what a plugin's `apply` threw; then nothing is kept. */
  static async build(pipeline: Pipeline, around: Surroundings): Promise<Generation> {
    const generation = new Generation(pipeline, around)
    try {
      generation.#layFlows()
      for (const instance of pipeline.instances.surface.values()) generation.#apply(instance)
      return generation
    } catch (error) {
      await around.keep.release(generation)
      throw error
    }
  }

  /** Which instances anybody asked for; the rest is declared for nothing. */
  get asked(): ReadonlySet<Instance> {
    return new Set(this.#applied.keys())
  }

  /** Refuses new exchanges: the gateway is shutting down. */
  get closing(): boolean {
    return this.#closing
  }

  /** A layer is applied once; its taps are replayed into every flow that lists it, in that flow's order. */
  #layFlows(): void {
    const { flows, instances } = this.pipeline
    const recorded = new Map<string, Taps>()
    for (const names of flows.values()) {
      for (const name of names) {
        const instance = instances.layer.get(name)
        if (!instance || recorded.has(name)) continue
        const taps = new Taps({
          name,
          label: instance.plugin.label,
          deflects: instance.plugin.deflects,
          observes: false,
          spans: instance.plugin.spans,
        })
        recorded.set(name, taps)
        this.#apply(instance, taps)
      }
    }
    const watching: Taps[] = []
    for (const instance of instances.observer.values()) {
      const taps = new Taps({ name: instance.name, label: instance.name, deflects: false, observes: true })
      watching.push(taps)
      this.#apply(instance, taps)
    }
    for (const [name, names] of flows) {
      const flow = new Flow(name, this.around.log)
      for (const layer of names) recorded.get(layer)?.replay(flow)
      for (const taps of watching) taps.replay(flow)
      this.flows.set(name, flow)
    }
  }

  #apply(instance: Instance, taps?: Taps): Applied {
    const known = this.#applied.get(instance)
    if (known) return known
    const { host, life } = hostOf(instance, this, taps)
    // Only after `apply` is it known what the instance reports.
    const product = apply(instance.plugin, host, instance.options)
    const applied: Applied = { ...life, instance, product }
    this.#applied.set(instance, applied)
    return applied
  }

  /** The product of a store, model or provider, applied when first asked for. */
  ask(role: Role, name: string, asker: Instance): unknown {
    const instance = this.pipeline.instances[role].get(name)
    if (!instance) throw this.#unknown(role, name, asker)
    return this.#apply(instance).product
  }

  /** The routes that these surfaces offer. */
  routesOf(surfaces: readonly string[], asker: Instance): RouteTable {
    const declared = this.pipeline.instances.surface
    for (const name of surfaces) if (!declared.has(name)) throw this.#unknown('surface', name, asker)
    return this.routing.only(surfaces)
  }

  #unknown(role: Role, name: string, asker: Instance): BuildError {
    const declared = [...this.pipeline.instances[role].keys()]
    const known = declared.length > 0 ? `declared are: ${declared.join(', ')}` : `no ${role} is declared`
    const problem: Problem = {
      ...asker.at,
      file: this.pipeline.file,
      severity: 'error',
      code: `unknown_${role}`,
      message: `${asker.role} "${asker.name}" asks for a ${role} called "${name}"; ${known}`,
    }
    return new BuildError(problem, { role, name })
  }

  async start(): Promise<void> {
    for (const { starts } of this.#insideOut()) for (const start of starts) await start()
  }

  serve(): void {
    this.#ready = true
    for (const { readies } of this.#insideOut()) for (const ready of readies) ready()
  }

  /** An exchange, or a reply, that is on its way in this generation. */
  track(closed: Promise<void>): void {
    this.#open++
    closed.then(this.#closed, this.#closed)
  }

  onCut(run: () => void): () => void {
    const cut: { run?: () => void } = { run }
    this.#cuts.add(cut)
    return () => {
      // V8 links a set's former tables to the present one: what they still name lives on until a full collection.
      delete cut.run
      this.#cuts.delete(cut)
    }
  }

  /** From now on every new exchange is refused. */
  close(): void {
    this.#closing = true
    this.#ready = false
  }

  /** Resolves when nothing is on its way any more, or after `graceMs`. */
  async drain(graceMs?: number): Promise<void> {
    await nextTurn() // a call that was dispatched in this very turn has yet to be tracked
    const limit = graceMs === undefined ? undefined : AbortSignal.timeout(graceMs)
    const late = limit && new Promise(done => limit.addEventListener('abort', done, { once: true }))
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve
    })
    if (this.#open === 0) return
    const cut = graceMs === undefined ? undefined : setTimeout(() => this.#cut(), Math.max(0, graceMs - LAST_WORDS))
    await (late ? Promise.race([idle, late]) : idle)
    clearTimeout(cut)
  }

  /** What has not ended by then is told so in its client's dialect, while there is time to tell. */
  #cut(): void {
    for (const { run } of this.#cuts) run?.()
  }

  async dispose(): Promise<void> {
    const { log, keep } = this.around
    for (const { instance, disposes } of this.#insideOut().reverse()) {
      for (const dispose of disposes.toReversed()) {
        try {
          await dispose()
        } catch (error) {
          log.warn('dispose failed', {
            instance: instance.name,
            error: error instanceof Error ? error.message : String(error),
          })
        }
      }
    }
    await keep.release(this)
  }

  status(): Status {
    const layers: Record<string, Report['status']> = {}
    const reported: typeof layers = {}
    for (const { instance, report } of this.#applied.values()) {
      if (instance.role !== 'layer') continue
      const { label } = instance.plugin
      // One that has nothing to report does not speak for the others of its label.
      if (report) reported[label] = worse(reported[label], report().status)
      layers[label] = reported[label] ?? 'active'
    }
    const { file } = this.pipeline
    return { layers, pipeline: file, generation: this.around.number, ready: this.#ready, startedAt: this.startedAt }
  }

  /** What layers offer to the operator, by instance name. */
  caches(): ReadonlyMap<string, CacheControls> {
    const offered = [...this.#applied.values()].flatMap(({ instance, cache }) =>
      cache ? [[instance.name, cache] as const] : [],
    )
    return new Map(offered)
  }

  /** How traces name the layer of this label. */
  traceName(label: string): string {
    for (const { plugin } of this.pipeline.instances.layer.values())
      if (plugin.label === label && plugin.traceName !== label) return plugin.traceName
    return label
  }

  /** Has all layers but this one forget what they keep of these requests. */
  async forgetBeside(layer: string, requestIds: readonly string[]): Promise<void> {
    for (const [name, controls] of this.caches()) {
      if (name === layer) continue
      for (const id of requestIds) await controls.forget(id)
    }
  }

  #insideOut(): Applied[] {
    const rank = (applied: Applied): number => INSIDE_OUT.indexOf(applied.instance.role)
    return [...this.#applied.values()].sort((a, b) => rank(a) - rank(b))
  }
}

/** The plugin's own zod schema made `options`, and its role chose the host: the two casts are the seam between them. */
const apply = (plugin: Plugin, host: object, options: unknown): unknown => plugin.apply(host as never, options as never)

/** Several layers can share a label; the sum is active if one is, and no better than the worst that is on. */
function worse(a: Report['status'] | undefined, b: Report['status']): Report['status'] {
  const order: readonly Report['status'][] = ['disabled', 'active', 'degraded', 'no_credential']
  return a !== undefined && order.indexOf(a) > order.indexOf(b) ? a : b
}
