import { isMap } from 'yaml'
import type { Role } from '../role.ts'
import { checkFlows, type Listed, readFlows } from './flows.ts'
import { checkPorts, makeInstance } from './instances.ts'
import type { Loader } from './loader.ts'
import { type Declared, isSection, readSection, TOP_LEVEL } from './sections.ts'
import { didYouMean } from './suggest.ts'
import { PipelineText } from './text.ts'
import type { Instance, Pipeline, Problem, Settings, SourceOf } from './types.ts'

export { NAME, SECTIONS } from './sections.ts'

interface PipelineSource {
  readonly file: string
  readonly text: string
  readonly settings: Settings
  readonly loader: Loader
  /** For messages about values that came out of settings. */
  readonly sourceOf?: SourceOf | undefined
}

export type ReadPipeline = (
  source: PipelineSource,
) => Promise<{ readonly pipeline?: Pipeline; readonly problems: readonly Problem[] }>

/**
 * Reads a pipeline file: names checked, settings filled in, plugins loaded, options validated. Every problem is
 * collected, so that one look mends all; `pipeline` is there when none of them is an error.
 */
export const readPipeline: ReadPipeline = async ({ file, text: yaml, settings, loader, sourceOf }) => {
  const text = new PipelineText(file, yaml, settings, sourceOf)
  const done = (pipeline?: Pipeline): Awaited<ReturnType<ReadPipeline>> => ({
    ...(pipeline && !text.failed && { pipeline }),
    problems: text.problems.sort((a, b) => a.line - b.line || a.column - b.column),
  })
  if (text.failed) return done()
  if (!isMap(text.root)) {
    text.report(
      'bad_yaml',
      { line: 1, column: 1 },
      'a pipeline file is a mapping of sections such as "surfaces" and "flows"',
    )
    return done()
  }

  const declared: Declared[] = []
  let flows = new Map<string, Listed[]>()
  for (const { key, keyNode, value } of text.entries(text.root)) {
    if (isSection(key)) declared.push(...readSection(text, key, value))
    else if (key === 'flows') flows = readFlows(text, value)
    else if (key !== 'tests' && !key.startsWith('x-')) {
      text.report('unknown_key', keyNode, `a pipeline file has no section "${key}"${didYouMean(key, TOP_LEVEL)}`)
    }
  }
  const byHand = new Set(declared.filter(({ role }) => role === 'layer').map(({ name }) => name))
  for (const { name, node } of [...flows.values()].flat()) {
    if (byHand.has(name)) continue
    byHand.add(name)
    const implicit = { role: 'layer', name, use: name, options: {}, optionsNode: undefined, implicit: true } as const
    declared.push({ ...implicit, useNode: node, keyNode: node })
  }
  checkFlows(text, declared, flows)

  const instances = await Promise.all(declared.map(one => makeInstance(text, one, declared, loader)))
  const byRole = (role: Role): ReadonlyMap<string, Instance> =>
    new Map(instances.flatMap(instance => (instance?.role === role ? [[instance.name, instance] as const] : [])))
  checkPorts(text, [...byRole('surface').values()])
  return done({
    file,
    instances: {
      surface: byRole('surface'),
      layer: byRole('layer'),
      provider: byRole('provider'),
      model: byRole('model'),
      store: byRole('store'),
      observer: byRole('observer'),
    },
    flows: new Map([...flows].map(([name, layers]) => [name, layers.map(layer => layer.name)])),
  })
}
