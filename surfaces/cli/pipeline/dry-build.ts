import { systemClock } from '../../../core/clock.ts'
import { BuildError, Generation } from '../../../core/generation.ts'
import type { Log } from '../../../core/host.ts'
import { hostLog } from '../../../core/host-log.ts'
import { Keep } from '../../../core/keep.ts'
import type { Instance, Pipeline, Problem } from '../../../core/pipeline/types.ts'
import type { Plugin, Role } from '../../../core/plugin.ts'
import type { Routing } from '../../../core/routing.ts'

/** Who asked for what while the pipeline was wired. */
export interface Ask {
  readonly by: Instance
  readonly role: Role
  readonly name: string
}

export interface DryBuild {
  readonly problems: readonly Problem[]
  /** What was asked for and is not there; each has its problem. */
  readonly missing: readonly { readonly ask: Ask; readonly problem: Problem }[]
  readonly asks: readonly Ask[]
}

/** Roles that serve only when another instance asks for them. */
const ON_DEMAND = ['store', 'model', 'provider'] as const

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/**
 * Wires a pipeline without starting it, to see what its plugins ask for: a name that nobody declares is an error, a
 * declaration that nobody asks for a warning. Wiring does no I/O, so nothing is opened.
 */
export async function dryBuild(pipeline: Pipeline): Promise<DryBuild> {
  const asks: Ask[] = []
  const problems: Problem[] = []
  const missing: { ask: Ask; problem: Problem }[] = []
  let current: Instance | undefined
  const watched = (instance: Instance): Instance => ({
    ...instance,
    plugin: watch(instance, asks, missing, () => {
      current = instance
    }),
  })
  try {
    const around = {
      log: hostLog(quiet, systemClock),
      clock: systemClock,
      keep: new Keep(),
      gateway: 'lint',
      number: 0,
    }
    const generation = await Generation.build({ ...pipeline, instances: mapInstances(pipeline, watched) }, around)
    problems.push(...generation.routing.shadowed.map(one => duplicateRoute(pipeline, one)))
    await generation.dispose()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const { role = 'plugin', name = '', at = { line: 1, column: 1 } } = current ?? {}
    const said = `${role} "${name}" cannot be wired: ${message}`
    problems.push({ ...at, file: pipeline.file, severity: 'error', code: 'broken_plugin', message: said })
  }
  problems.push(...missing.map(({ problem }) => problem))
  if (problems.length === 0) problems.push(...ON_DEMAND.flatMap(role => unused(pipeline, role, asks)))
  return { problems, missing, asks }
}

function duplicateRoute({ file }: Pipeline, { offer, behind }: Routing['shadowed'][number]): Problem {
  const { by, route } = offer
  const rest = `surface "${behind.by.name}" takes them all`
  const message = `surface "${by.name}" never gets a ${route.method} ${route.path}; ${rest}`
  return { ...by.at, file, severity: 'error', code: 'duplicate_route', message }
}

/** The same instances, each changed. */
export function mapInstances(pipeline: Pipeline, change: (instance: Instance) => Instance): Pipeline['instances'] {
  const mapped = (role: Role): ReadonlyMap<string, Instance> =>
    new Map([...pipeline.instances[role]].map(([name, instance]) => [name, change(instance)]))
  return {
    surface: mapped('surface'),
    layer: mapped('layer'),
    provider: mapped('provider'),
    model: mapped('model'),
    store: mapped('store'),
    observer: mapped('observer'),
  }
}

/** A plugin whose host notes what it is asked for. One that asks for what is not there is left out, and the next looked at. */
function watch(by: Instance, asks: Ask[], missing: { ask: Ask; problem: Problem }[], enter: () => void): Plugin {
  const { plugin } = by
  const apply = (host: object, options: unknown): unknown => {
    enter()
    const noted: Record<string, unknown> = {}
    for (const role of ON_DEMAND) {
      const ask: unknown = Reflect.get(host, role)
      if (typeof ask !== 'function') continue
      noted[role] = (name: string): unknown => {
        asks.push({ by, role, name })
        const product: unknown = ask(name)
        enter()
        return product
      }
    }
    try {
      // Not by spreading: words of an earlier contract are hidden getters, and say what replaced them.
      const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(host))
      return plugin.apply(Object.assign(copy, noted) as never, options as never)
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      missing.push({ ask: { by, ...error.wanted }, problem: error.problem })
      return undefined
    }
  }
  return { ...plugin, apply }
}

const unused = (pipeline: Pipeline, role: (typeof ON_DEMAND)[number], asks: readonly Ask[]): Problem[] =>
  [...pipeline.instances[role].values()]
    .filter(({ name }) => !asks.some(ask => ask.role === role && ask.name === name))
    .map(({ name, at }) => ({
      ...at,
      file: pipeline.file,
      severity: 'warning',
      code: 'unused_instance',
      message: `nothing asks for ${role} "${name}"`,
    }))
