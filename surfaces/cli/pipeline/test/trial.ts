import { listener } from 'deflector/facets/listener'
import { z } from 'zod'
import { systemClock } from '../../../../core/clock.ts'
import { buildGeneration, PipelineError, problemLine } from '../../../../core/gateway.ts'
import type { Generation } from '../../../../core/generation.ts'
import type { Log } from '../../../../core/host.ts'
import { hostLog } from '../../../../core/host-log.ts'
import { Keep } from '../../../../core/keep.ts'
import type { Loader } from '../../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../../core/pipeline/read.ts'
import type { Instance, Pipeline, Settings } from '../../../../core/pipeline/types.ts'
import { mapInstances } from '../dry-build.ts'
import { type StandIns, standIns } from './stand-ins.ts'
import { StubUpstream } from './stub-upstream.ts'
import { VirtualClock } from './virtual-clock.ts'

export interface TrialOptions {
  readonly file: string
  readonly text: string
  readonly settings: Settings
  readonly loader: Loader
  /** Milliseconds since 1970. */
  readonly start: number
}

/** Real milliseconds that a write-back may take. */
const SETTLE_MS = 5_000

/**
 * A real gateway on a free port of loopback, its clock in our hands, a stub upstream behind every provider, and nothing
 * of what the file has outside of this process: see `StandIns`.
 */
export class Trial {
  /** Warnings and errors that the gateway logged. */
  readonly log: string[] = []
  readonly #keep = new Keep()
  #generation: Generation | undefined
  #port = 0
  #stores: ReadonlySet<string> = new Set()
  #unreachable: ReadonlySet<string> = new Set()

  private constructor(
    readonly clock: VirtualClock,
    readonly upstream: StubUpstream,
  ) {}

  /** Throws `PipelineError`, or what a plugin threw when it started. */
  static async start({ file, text, settings, loader, start }: TrialOptions): Promise<Trial> {
    const { pipeline, problems } = await readPipeline({ file, text, settings, loader })
    if (!pipeline) throw new PipelineError(problems.filter(({ severity }) => severity === 'error'))
    const clock = new VirtualClock(start, systemClock.id)
    const trial = new Trial(clock, await StubUpstream.start(clock))
    try {
      await trial.#serve(pipeline, await standIns(loader))
      return trial
    } catch (error) {
      await trial.close()
      throw error
    }
  }

  get port(): number {
    return this.#port
  }

  /** Waits for what goes on behind a reply: an answer is written to the caches after the client has it. */
  async settled(): Promise<void> {
    await this.clock.during(this.#generation?.drain(SETTLE_MS) ?? Promise.resolve())
  }

  /** These stores fail from now on, all others do not. Returns what is wrong with the names. */
  breakStores(names: readonly string[]): string[] {
    this.#unreachable = new Set(names)
    return names.filter(name => !this.#stores.has(name)).map(name => `unreachable: there is no store "${name}"`)
  }

  async #serve(pipeline: Pipeline, stand: StandIns): Promise<void> {
    this.#stores = new Set(pipeline.instances.store.keys())
    const tame = mapInstances(pipeline, instance => this.#tame(instance, stand))
    // Observers answer nothing, and report to the outside: a collector, a file.
    const instances = { ...tame, observer: new Map() }
    const around = {
      log: hostLog(this.#listen(), this.clock),
      clock: this.clock,
      keep: this.#keep,
      gateway: 'trial',
      number: 1,
    }
    const generation = await buildGeneration({ ...pipeline, instances }, around)
    this.#generation = generation
    await this.clock.during(generation.start())
    generation.serve()
    this.#port = this.#findPort(generation)
  }

  /** A listener takes a free port of loopback, a vendor becomes the stub, a store memory; layers stay as they are. */
  #tame(instance: Instance, stand: StandIns): Instance {
    if (instance.role === 'store') return stand.store(instance, () => this.#unreachable.has(instance.name))
    if (instance.role === 'model') return stand.model(instance, this.upstream.url(instance.name))
    const options = Options.parse(instance.options ?? {})
    if (instance.role === 'surface' && typeof options.port === 'number') {
      const host = typeof options.host === 'string' ? { host: '127.0.0.1' } : {}
      return servingAll({ ...instance, options: { ...options, port: 0, ...host } })
    }
    if (instance.role === 'provider' && hasOption(instance, 'url')) {
      return { ...instance, options: { ...options, url: this.upstream.url(instance.name) } }
    }
    return instance
  }

  #findPort(generation: Generation): number {
    for (const bound of generation.facets.offers(listener).values()) {
      const address = bound()
      if (address?.port !== undefined) return address.port
    }
    throw new Error('no surface of this pipeline listens on a port, so its tests cannot call it')
  }

  #listen(): Log {
    const note = (level: string) => (message: string, fields?: Record<string, unknown>) => {
      this.log.push(`${level} ${message}${fields ? ` ${JSON.stringify(fields)}` : ''}`)
    }
    return { debug: () => {}, info: () => {}, warn: note('warn'), error: note('error') }
  }

  async close(): Promise<void> {
    const generation = this.#generation
    generation?.close()
    await this.settled()
    await generation?.dispose()
    await this.upstream.close()
  }
}

/** All requests of a test go to one port, so every listener serves every surface, unless it has to be told which. */
function servingAll(instance: Instance): Instance {
  const { serves, ...options } = Options.parse(instance.options)
  const may = serves !== undefined && instance.plugin.options.safeParse(options).success
  return may ? { ...instance, options } : instance
}

const Options = z.record(z.string(), z.unknown())

function hasOption({ plugin }: Instance, name: string): boolean {
  const { properties } = z.toJSONSchema(plugin.options, { unrepresentable: 'any', io: 'input' })
  return properties !== undefined && Object.hasOwn(properties, name)
}

/** What a person is told when a trial could not begin. */
export const startFailure = (error: unknown): string[] =>
  error instanceof PipelineError
    ? error.problems.map(problemLine)
    : [error instanceof Error ? error.message : String(error)]
