import { setImmediate as nextTurn } from 'node:timers/promises'
import { BuildError, blamed } from './build-errors.ts'
import type { RouteTable } from './call.ts'
import { unforeseen } from './errors.ts'
import { FacetTable } from './facets.ts'
import { Flow } from './flow.ts'
import type { Status } from './host.ts'
import { type AskedRole, hostOf, type Life, type Surroundings, type Wiring } from './hosts.ts'
import type { Instance, Pipeline, Problem } from './pipeline/types.ts'
import type { Role } from './role.ts'
import { Routing } from './routing.ts'
import { Taps } from './taps.ts'
import { UnderWay } from './under-way.ts'

/** What a generation is built among. */
export interface GenerationOptions extends Surroundings {
  /** Counts up with every reload. */
  readonly number: number
  /** One cell for all generations of a gateway, see `FacetTable`. */
  readonly latest?: { table: FacetTable | undefined }
}

/** Start order: what others lean on comes first. Disposed the other way round. */
const INSIDE_OUT: readonly Role[] = ['store', 'model', 'provider', 'layer', 'observer', 'surface']

/** Milliseconds before the end of the grace, for the error that ends what is still open. */
const LAST_WORDS = 500

interface Applied extends Life {
  readonly instance: Instance
  readonly product: unknown
}

/**
 * One reading of the pipeline file, wired: built inside out, started, made ready, drained, disposed. Building does no
 * I/O, so a file can be built just to see whether it fits together.
 */
export class Generation implements Wiring {
  readonly flows = new Map<string, Flow>()
  readonly routing = new Routing()
  readonly facets: FacetTable
  readonly #applied = new Map<Instance, Applied>()
  readonly #asks = new Map<Instance, Set<Instance>>()
  /** Calls and exchanges on their way. */
  #open = 0
  readonly #idle: (() => void)[] = []
  #disposed = false
  readonly #cuts = new UnderWay<() => void>()
  readonly #closed = (): void => {
    if (--this.#open === 0) for (const idle of this.#idle.splice(0)) idle()
  }
  readonly startedAt: number
  #ready = false
  #closing = false
  repliesKept: number | undefined

  private constructor(
    readonly pipeline: Pipeline,
    readonly around: GenerationOptions,
  ) {
    this.facets = new FacetTable(around.latest)
    this.startedAt = around.clock.now()
  }

  /** Throws `BuildError`, or what a plugin's `apply` threw; then nothing is kept. */
  static async build(pipeline: Pipeline, around: GenerationOptions): Promise<Generation> {
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

  /** What each instance has asked for so far. */
  get asks(): ReadonlyMap<Instance, ReadonlySet<Instance>> {
    return this.#asks
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
        const taps = tapsOf(instance)
        recorded.set(name, taps)
        this.#apply(instance, taps)
      }
    }
    const watching = [...instances.observer.values()].map(instance => {
      const taps = tapsOf(instance)
      this.#apply(instance, taps)
      return taps
    })
    for (const [name, names] of flows) {
      const flow = new Flow(name, this.around.log, names)
      for (const layer of names) recorded.get(layer)?.replay(flow.hooks)
      for (const taps of watching) taps.replay(flow.hooks)
      this.flows.set(name, flow)
    }
  }

  #apply(instance: Instance, taps = tapsOf(instance)): Applied {
    const known = this.#applied.get(instance)
    if (known) return known
    const { host, life } = hostOf(instance, this, taps)
    const product = apply(instance, host)
    const applied: Applied = { ...life, instance, product }
    this.#applied.set(instance, applied)
    return applied
  }

  /** The product of a store, model or provider, applied when first asked for. */
  ask(role: AskedRole, name: string, asker: Instance): unknown {
    const instance = this.pipeline.instances[role].get(name)
    if (!instance) throw this.#unknown(role, name, asker)
    const asked = this.#asks.get(asker) ?? new Set()
    this.#asks.set(asker, asked.add(instance))
    return this.#apply(instance).product
  }

  /** Where an instance's plugin was loaded from; `undefined` for a built-in one. */
  fileOf(role: Role, name: string): string | undefined {
    return this.pipeline.instances[role].get(name)?.file
  }

  /** The routes that these surfaces offer. */
  routesOf(surfaces: readonly string[], asker: Instance): RouteTable {
    const declared = this.pipeline.instances.surface
    for (const name of surfaces) if (!declared.has(name)) throw this.#unknown('surface', name, asker)
    return this.routing.only(surfaces)
  }

  #unknown(role: AskedRole | 'surface', name: string, asker: Instance): BuildError {
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
    for (const { instance, starts } of this.#insideOut())
      for (const start of starts) {
        try {
          await start()
        } catch (error) {
          throw blamed(instance, 'start', error)
        }
      }
  }

  serve(): void {
    this.#ready = true
    this.facets.serve()
    for (const { instance, readies } of this.#insideOut())
      for (const ready of readies) {
        try {
          ready()
        } catch (error) {
          // It serves all the same: half of the surfaces may be ready already.
          const { name, file } = instance
          this.around.log.error('a plugin failed to become ready', { instance: name, file, ...unforeseen(error) })
        }
      }
  }

  /** An exchange, or a reply, that is on its way in this generation. */
  track(closed: Promise<void>): void {
    this.#open++
    closed.then(this.#closed, this.#closed)
  }

  onCut(run: () => void): () => void {
    return this.#cuts.add(run)
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
      if (this.#open === 0) resolve()
      else this.#idle.push(resolve)
    })
    if (this.#open === 0) return
    const cut = graceMs === undefined ? undefined : setTimeout(() => this.#cut(), Math.max(0, graceMs - LAST_WORDS))
    await (late ? Promise.race([idle, late]) : idle)
    clearTimeout(cut)
  }

  /** Ends what is still open with an error in its client's dialect, while there is time to send it. */
  #cut(): void {
    for (const run of this.#cuts.items) run()
  }

  /** Only the first call counts. */
  async dispose(): Promise<void> {
    if (this.#disposed) return
    this.#disposed = true
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
    const { file, flows, instances } = this.pipeline
    const listed = new Set([...flows.values()].flat())
    const layers = [...instances.layer.values()].filter(({ name }) => listed.has(name))
    return {
      layers: new Map(layers.map(({ name, plugin }) => [name, plugin.label])),
      pipeline: file,
      generation: this.around.number,
      ready: this.#ready,
      startedAt: this.startedAt,
    }
  }

  #insideOut(): Applied[] {
    const rank = (applied: Applied): number => INSIDE_OUT.indexOf(applied.instance.role)
    return [...this.#applied.values()].sort((a, b) => rank(a) - rank(b))
  }
}

/** Who stands behind an instance's taps. */
const tapsOf = ({ role, name, plugin, file }: Instance): Taps =>
  new Taps({
    name,
    label: role === 'layer' ? plugin.label : name,
    deflects: plugin.deflects,
    observes: role !== 'layer',
    spans: plugin.spans,
    file,
    ...(!plugin.operations.includes('*') && role === 'layer' && { operations: new Set(plugin.operations) }),
  })

/** The plugin's own zod schema made `options`, and its role chose the host: the two casts are the seam between them. */
function apply(instance: Instance, host: object): unknown {
  const { plugin, options } = instance
  try {
    return plugin.apply(host as never, options as never)
  } catch (error) {
    throw blamed(instance, 'wire', error)
  }
}
