import { readFile } from 'node:fs/promises'
import { BuildError, PluginError } from './build-errors.ts'
import { systemClock } from './clock.ts'
import type { Facet, FacetTable } from './facets.ts'
import { Generation, type GenerationOptions } from './generation.ts'
import type { Clock, Log } from './host.ts'
import { hostLog } from './host-log.ts'
import { Keep } from './keep.ts'
import { createLoader, type Roots } from './pipeline/loader.ts'
import { readPipeline } from './pipeline/read.ts'
import type { Pipeline, Problem, Settings, SourceOf } from './pipeline/types.ts'
import type { Role } from './role.ts'

export interface GatewayOptions {
  readonly pipelineFile: string
  /** Read at the start and again at each reload. What it throws refuses the generation. */
  readonly settings: () => Settings | Promise<Settings>
  /** Of the settings that were read last. */
  readonly sourceOf?: SourceOf
  readonly log: Log
  readonly roots?: Roots
  /** Private folder for compiled plugins. */
  readonly cacheDir?: string
  readonly clock?: Clock
  /**
   * Called before a generation starts. Throws to refuse one that is of no use to this process; may offer it facets of
   * the process itself.
   */
  readonly accept?: (next: Pick<Generation, 'pipeline' | 'facets' | 'asks' | 'around'>) => void
}

export interface Reloaded {
  readonly ok: boolean
  readonly problems: readonly Problem[]
  /** One line each: why nothing changed. */
  readonly reasons: readonly string[]
}

/** The file does not make a generation. `problems` says where and why. */
export class PipelineError extends Error {
  override readonly name = 'PipelineError'
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(problemLine).join('\n'))
  }
}

/** `file:line:column error code message`, as linters print it. */
export const problemLine = ({ file, line, column, severity, code, message }: Problem): string =>
  `${file}:${line}:${column} ${severity} ${code}: ${message}`

/** The current generation, and the way to the next. */
export class Gateway {
  readonly #keep = new Keep()
  readonly #latest: { table: FacetTable | undefined } = { table: undefined }
  readonly #id: string
  readonly #loading: Promise<Reloaded>[] = []
  #current: Generation | undefined
  /** Generations that were replaced and have calls on their way. */
  readonly #draining = new Set<Generation>()
  #number = 0

  private constructor(readonly options: GatewayOptions) {
    this.#id = (options.clock ?? systemClock).id()
  }

  /** Throws `PipelineError`, or what a plugin's `onStart` threw; then nothing is left running. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options)
    await gateway.#next(options.settings)
    return gateway
  }

  get current(): Generation {
    if (!this.#current) throw new Error('the gateway is closed')
    return this.#current
  }

  /** What the instances of the current generation offer under a facet: a live map, by instance name. */
  offers<T>(token: Facet<T>, role?: Role): ReadonlyMap<string, T> {
    return (this.#latest.table ?? this.current.facets).offers(token, role)
  }

  /**
   * Builds the next generation beside the running one and swaps. One that does not build or start changes nothing.
   * `settings` stand in for those of the options, this time only.
   */
  async reload(settings = this.options.settings): Promise<Reloaded> {
    const turn = Promise.allSettled(this.#loading).then(() => this.#tryNext(settings))
    this.#loading.push(turn)
    const reloaded = await turn
    this.#loading.splice(this.#loading.indexOf(turn), 1)
    return reloaded
  }

  /**
   * Builds what a reload with these settings would serve, and lets go of it: nothing starts, nothing changes, and nothing is
   * logged.
   */
  async check(settings = this.options.settings): Promise<Reloaded> {
    const turn = Promise.allSettled(this.#loading).then(() => this.#tryBuild(settings))
    this.#loading.push(turn)
    const checked = await turn
    this.#loading.splice(this.#loading.indexOf(turn), 1)
    return checked
  }

  async #tryBuild(settings: GatewayOptions['settings']): Promise<Reloaded> {
    try {
      const next = await this.#build(settings, SILENT)
      try {
        this.options.accept?.(next)
      } finally {
        await next.dispose()
      }
      return { ok: true, problems: [], reasons: [] }
    } catch (error) {
      return refused(error)
    }
  }

  async #tryNext(settings: GatewayOptions['settings']): Promise<Reloaded> {
    const { log } = this.options
    try {
      await this.#next(settings)
      log.info('reloaded', { generation: this.#number })
      return { ok: true, problems: [], reasons: [] }
    } catch (error) {
      const outcome = refused(error)
      for (const reason of outcome.reasons) log.error(`not reloaded: ${reason}`)
      return outcome
    }
  }

  async #next(settings: GatewayOptions['settings']): Promise<void> {
    try {
      await this.#swap(await this.#build(settings))
    } catch (error) {
      if (error instanceof PluginError) this.options.log.error('a plugin failed', error.facts)
      throw error
    }
  }

  async #swap(next: Generation): Promise<void> {
    try {
      this.options.accept?.(next)
      await next.start()
    } catch (error) {
      await next.dispose()
      throw error
    }
    const before = this.#current
    this.#current = next
    this.#number = next.around.number
    next.serve()
    if (before) void this.#retire(before)
  }

  async #retire(before: Generation): Promise<void> {
    this.#draining.add(before)
    await before.drain()
    await before.dispose()
    this.#draining.delete(before)
  }

  async #build(settings: GatewayOptions['settings'], log = this.options.log): Promise<Generation> {
    const { pipelineFile: file, sourceOf, clock = systemClock, roots, cacheDir } = this.options
    const values = await settings()
    const text = await readFile(file, 'utf8')
    const { pipeline, problems } = await readPipeline({
      file,
      text,
      settings: values,
      loader: createLoader(roots, cacheDir),
      sourceOf,
    })
    for (const problem of problems) if (problem.severity === 'warning') log.warn(problemLine(problem))
    if (!pipeline) throw new PipelineError(problems.filter(({ severity }) => severity === 'error'))
    return buildGeneration(pipeline, {
      log: hostLog(log, clock),
      clock,
      keep: this.#keep,
      gateway: this.#id,
      number: this.#number + 1,
      latest: this.#latest,
    })
  }

  /** Takes no more calls, lets those on their way end for `graceMs`, and gives everything back. */
  async close(graceMs: number): Promise<void> {
    await Promise.allSettled(this.#loading)
    const last = this.#current
    if (!last || last.closing) return
    // The newest goes last: it holds the socket over which the others still reply.
    const open = [...this.#draining, last]
    for (const generation of open) generation.close()
    await Promise.all(open.map(generation => generation.drain(graceMs)))
    for (const generation of open) await generation.dispose()
    this.#current = undefined
  }
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }

const refused = (error: unknown): Reloaded => ({
  ok: false,
  problems: error instanceof PipelineError ? error.problems : [],
  reasons: (error instanceof Error ? error.message : String(error)).split('\n'),
})

/** Wires a pipeline without starting it. Throws `PipelineError` when it does not fit together. */
export async function buildGeneration(pipeline: Pipeline, around: GenerationOptions): Promise<Generation> {
  try {
    return await Generation.build(pipeline, around)
  } catch (error) {
    if (error instanceof BuildError) throw new PipelineError([error.problem])
    throw error
  }
}
