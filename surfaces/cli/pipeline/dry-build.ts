import { BuildError, PluginError } from '../../../core/build-errors.ts'
import { CHAT } from '../../../core/chat/dialect.ts'
import type { Facet } from '../../../core/facets.ts'
import { Generation } from '../../../core/generation.ts'
import type { Host } from '../../../core/host.ts'
import type { Instance, Pipeline, Problem } from '../../../core/pipeline/types.ts'
import type { Plugin } from '../../../core/plugin.ts'
import type { Provider } from '../../../core/provider.ts'
import type { Role } from '../../../core/role.ts'
import { aroundUnserved } from '../unserved.ts'
import { findings } from './findings.ts'
import { type Ask, finding, type Offered } from './wired.ts'

export interface DryBuild {
  readonly problems: readonly Problem[]
  /** What was asked for and is not there; each has its problem. */
  readonly missing: readonly { readonly ask: Ask; readonly problem: Problem }[]
  readonly asks: readonly Ask[]
  readonly offered: readonly Offered[]
}

/** Roles that serve only when another instance asks for them. */
const ON_DEMAND = ['store', 'model', 'provider'] as const

/**
 * Wires a pipeline without starting it, to see what its plugins ask for and offer: a name that is not declared is an
 * error, a declaration that no instance asks for a warning. Wiring does no I/O, so nothing is opened.
 */
export async function dryBuild(pipeline: Pipeline): Promise<DryBuild> {
  const notes: Notes = { asks: [], offered: [], missing: [], providers: new Map(), current: undefined }
  const { asks, offered, missing, providers } = notes
  const problems: Problem[] = []
  const watched = (instance: Instance): Instance => ({ ...instance, plugin: watch(instance, notes) })
  try {
    const watching = { ...pipeline, instances: mapInstances(pipeline, watched) }
    const generation = await Generation.build(watching, aroundUnserved('lint'))
    const { flows, routing } = generation
    const operationsOf = (provider: string): readonly string[] => providers.get(provider)?.operations ?? [CHAT]
    // An instance that could not be wired has offered nothing and tapped nothing: what is missing then says nothing more.
    if (missing.length === 0) problems.push(...findings({ pipeline, flows, routing, asks, offered, operationsOf }))
    await generation.dispose()
  } catch (thrown) {
    const { role = 'plugin', name = '', at = { line: 1, column: 1 } } = notes.current ?? {}
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    // A plugin from outside is named with its file already.
    const what = thrown instanceof PluginError ? message : `${role} "${name}" cannot be wired: ${message}`
    problems.push(finding(pipeline, 'broken_plugin', at, what))
  }
  problems.push(...missing.map(({ problem }) => problem))
  const failed = problems.some(({ severity }) => severity === 'error')
  if (!failed) problems.push(...ON_DEMAND.flatMap(role => unused(pipeline, role, asks)))
  return { problems, missing, asks, offered }
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

/** What the instances did while they were wired. */
interface Notes {
  readonly asks: Ask[]
  readonly offered: Offered[]
  readonly missing: { readonly ask: Ask; readonly problem: Problem }[]
  readonly providers: Map<string, Provider>
  /** The one that is being wired. */
  current: Instance | undefined
}

/** A plugin whose host notes what it is asked for. One that asks for what is not there is left out, and the next looked at. */
function watch(by: Instance, notes: Notes): Plugin {
  const { plugin } = by
  const apply = (host: Host, options: unknown): unknown => {
    notes.current = by
    const noted: Record<string, unknown> = {
      offer: (token: Facet<unknown>, value: unknown): void => {
        notes.offered.push({ by, facet: token.name })
        host.offer(token, value)
      },
    }
    for (const role of ON_DEMAND) {
      const ask: unknown = Reflect.get(host, role)
      if (typeof ask !== 'function') continue
      noted[role] = (name: string): unknown => {
        notes.asks.push({ by, role, name })
        const product: unknown = ask(name)
        notes.current = by
        return product
      }
    }
    try {
      // Not by spreading: words of an earlier contract are hidden getters, and say what replaced them.
      const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(host))
      const product: unknown = plugin.apply(Object.assign(copy, noted) as never, options as never)
      if (by.role === 'provider') notes.providers.set(by.name, product as Provider) // its role chose what it gives
      return product
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      notes.missing.push({ ask: { by, ...error.wanted }, problem: error.problem })
      return undefined
    }
  }
  return { ...plugin, apply }
}

const unused = (pipeline: Pipeline, role: (typeof ON_DEMAND)[number], asks: readonly Ask[]): Problem[] =>
  [...pipeline.instances[role].values()]
    .filter(({ name }) => !asks.some(ask => ask.role === role && ask.name === name))
    .map(({ name, at }) => finding(pipeline, 'unused_instance', at, `nothing asks for ${role} "${name}"`))
