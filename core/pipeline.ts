import { dirname } from 'node:path'
import { isMap, isSeq, type Node } from 'yaml'
import { type Found, LoadError, type Loader } from './loader.ts'
import { checkOptions } from './pipeline-options.ts'
import { type Entry, PipelineText } from './pipeline-text.ts'
import type { Plugin, Role } from './plugin.ts'
import { didYouMean } from './suggest.ts'

/** 1-based. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One finding in a pipeline file. */
export interface Problem extends Position {
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** What is wrong and what to do. */
  readonly message: string
  readonly file: string
}

/** One declared plugin. */
export interface Instance {
  readonly role: Role
  readonly name: string
  readonly plugin: Plugin
  /** As the plugin's zod schema gave them. */
  readonly options: unknown
  /** The flow a surface feeds. */
  readonly flow?: string
  readonly at: Position
}

export interface Pipeline {
  readonly file: string
  readonly instances: Readonly<Record<Role, ReadonlyMap<string, Instance>>>
  /** Layer instance names, in order. */
  readonly flows: ReadonlyMap<string, readonly string[]>
}

/** Settings by their dotted key (`exact_cache.provider`). */
export type Settings = Readonly<Record<string, unknown>>

export interface PipelineSource {
  readonly file: string
  readonly text: string
  readonly settings: Settings
  readonly loader: Loader
}

export type ReadPipeline = (
  source: PipelineSource,
) => Promise<{ readonly pipeline?: Pipeline; readonly problems: readonly Problem[] }>

/** The sections that declare plugins, and the role of what stands there. */
export const SECTIONS = {
  surfaces: 'surface',
  layers: 'layer',
  providers: 'provider',
  models: 'model',
  stores: 'store',
  observers: 'observer',
} as const satisfies Record<string, Role>

/** Every key that may stand at the top of a pipeline file, besides `x-` ones, which are the reader's own. */
export const TOP_LEVEL = [...Object.keys(SECTIONS), 'flows', 'tests'] as const

/** Instance names become headers, metric labels and URL parts. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** The key whose value is a setting with a map of further instances. */
const SPREAD = '...'

/** An instance as written, before its plugin is loaded. */
interface Declared {
  readonly role: Role
  readonly name: string
  /** `undefined` when what stands there could not be read; that has been reported. */
  readonly use: string | undefined
  readonly flow?: string
  readonly options: Readonly<Record<string, unknown>>
  readonly optionsNode: Node | undefined
  readonly useNode: Node
  readonly flowNode?: Node | undefined
  readonly keyNode: Node
  /** From `...`, or a layer that only a flow names: nobody declared it by hand, so it may go unused. */
  readonly implicit?: boolean
}

/**
 * Reads a pipeline file: names checked, settings filled in, plugins loaded, options validated. Every problem is
 * collected, so that one look mends all; `pipeline` is there when none of them is an error.
 */
export const readPipeline: ReadPipeline = async ({ file, text: yaml, settings, loader }) => {
  const text = new PipelineText(file, yaml, settings)
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

const isSection = (key: string): key is keyof typeof SECTIONS => Object.hasOwn(SECTIONS, key)

function readSection(text: PipelineText, section: keyof typeof SECTIONS, node: Node | undefined): Declared[] {
  const role = SECTIONS[section]
  const entries = text.mapping(node, `"${section}"`)
  const written = entries
    .filter(({ key }) => key !== SPREAD)
    .flatMap(entry => {
      if (NAME.test(entry.key)) return [readInstance(text, role, entry)]
      text.report('bad_name', entry.keyNode, `"${entry.key}" cannot be a name: use letters, digits, ".", "_" and "-"`)
      return []
    })
  const taken = new Set(written.map(({ name }) => name))
  const spread = entries.filter(({ key }) => key === SPREAD).flatMap(entry => readSpread(text, role, entry))
  return [...written, ...spread.filter(({ name }) => !taken.has(name))]
}

function readInstance(text: PipelineText, role: Role, { key: name, keyNode, value }: Entry): Declared {
  const parts = new Map(text.mapping(value, `"${name}"`).map(entry => [entry.key, entry]))
  const known = role === 'surface' ? ['use', 'options', 'flow'] : ['use', 'options']
  for (const { key, keyNode: at } of parts.values()) {
    if (known.includes(key)) continue
    const hint = key === 'flow' ? '; only surfaces feed a flow' : didYouMean(key, known)
    text.report('unknown_key', at, `${role} "${name}" has no key "${key}"${hint || '; options belong under "options"'}`)
  }
  const word = (key: string): string | undefined => {
    const part = parts.get(key)
    if (!part) return undefined
    const before = text.problems.length
    const said = text.value(part.value)
    if (text.problems.length > before) return undefined
    if (typeof said === 'string' && said !== '') return said
    text.report('wrong_shape', part.value ?? part.keyNode, `"${key}" of ${role} "${name}" must be a name`)
    return undefined
  }
  const optionsNode = parts.get('options')?.value
  const flow = role === 'surface' ? word('flow') : undefined
  return {
    role,
    name,
    use: parts.has('use') ? word('use') : name,
    options: asMap(text, optionsNode, `the options of ${role} "${name}"`),
    optionsNode,
    useNode: parts.get('use')?.value ?? keyNode,
    keyNode,
    ...(flow !== undefined && { flow, flowNode: parts.get('flow')?.value }),
  }
}

/** A mapping with its settings filled in; a setting with a map may stand for the whole of it. */
function asMap(text: PipelineText, node: Node | undefined, what: string): Readonly<Record<string, unknown>> {
  if (node === undefined) return {}
  const value = text.value(node)
  if (isRecord(value)) return value
  if (value !== null && value !== undefined) text.report('wrong_shape', node, `${what} must be a mapping`)
  return {}
}

/** Instances out of a setting. What the setting holds is taken as it is: places in it are not filled in. */
function readSpread(text: PipelineText, role: Role, { keyNode, value }: Entry): Declared[] {
  const at = value ?? keyNode
  return Object.entries(asMap(text, value, '"..."')).flatMap(([name, given]) => {
    const { use = name, options = {}, ...rest } = isRecord(given) ? given : {}
    if (!NAME.test(name) || typeof use !== 'string' || !isRecord(options) || Object.keys(rest).length > 0) {
      text.report('wrong_shape', at, `the entry "${name}" of this setting is not {use, options}`)
      return []
    }
    return [{ role, name, use, options, optionsNode: undefined, useNode: at, keyNode: at, implicit: true }]
  })
}

interface Listed {
  readonly name: string
  readonly node: Node
}

function readFlows(text: PipelineText, section: Node | undefined): Map<string, Listed[]> {
  const flows = new Map<string, Listed[]>()
  for (const { key, keyNode, value } of text.mapping(section, '"flows"')) {
    const list = text.value(value)
    flows.set(key, [])
    if (!Array.isArray(list) || !list.every(name => typeof name === 'string')) {
      text.report('wrong_shape', value ?? keyNode, `flow "${key}" must be a list of layer names`)
      continue
    }
    const at = (index: number): Node => (isSeq(value) ? text.follow(value.items[index]) : value) ?? keyNode
    const listed: Listed[] = []
    for (const [index, name] of list.entries()) {
      if (listed.some(other => other.name === name)) {
        text.report('duplicate_layer', at(index), `flow "${key}" lists layer "${name}" twice`)
      } else listed.push({ name, node: at(index) })
    }
    flows.set(key, listed)
  }
  return flows
}

/** A surface's flow exists, and what is declared is also used. */
function checkFlows(text: PipelineText, declared: readonly Declared[], flows: ReadonlyMap<string, Listed[]>): void {
  const fed = new Set<string>()
  for (const { name, flow, flowNode, keyNode } of declared) {
    if (flow === undefined) continue
    fed.add(flow)
    if (flows.has(flow)) continue
    const hint = didYouMean(flow, flows.keys())
    text.report(
      'unknown_flow',
      flowNode ?? keyNode,
      `surface "${name}" feeds flow "${flow}", which is not under "flows"${hint}`,
    )
  }
  const section = isMap(text.root) ? text.entries(text.root).find(({ key }) => key === 'flows')?.value : undefined
  for (const { key, keyNode } of isMap(section) ? text.entries(section) : []) {
    if (!fed.has(key)) text.report('unused_flow', keyNode, `no surface feeds flow "${key}"`, 'warning')
  }
  const listed = new Set([...flows.values()].flat().map(({ name }) => name))
  for (const { role, name, keyNode, implicit } of declared) {
    if (role !== 'layer' || implicit || listed.has(name)) continue
    text.report('unused_instance', keyNode, `no flow lists layer "${name}"`, 'warning')
  }
}

async function makeInstance(
  text: PipelineText,
  one: Declared,
  all: readonly Declared[],
  loader: Loader,
): Promise<Instance | undefined> {
  const { role, name, use, flow, keyNode, useNode, optionsNode } = one
  if (use === undefined) return undefined
  let found: Found
  try {
    found = await loader.load(role, use, dirname(text.file))
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    if (error.code === 'unknown_plugin') await reportUnknown(text, one, all, loader, error)
    else text.report(error.code, useNode, error.message)
    return undefined
  }
  const { plugin, preset } = found
  const given = { owner: `${role} "${name}"`, plugin, values: { ...preset, ...one.options } }
  const before = text.problems.length
  const options = checkOptions(text, { ...given, node: optionsNode, fallback: keyNode })
  if (text.problems.length > before) return undefined
  return { role, name, plugin, options, at: text.at(keyNode), ...(flow !== undefined && { flow }) }
}

async function reportUnknown(
  text: PipelineText,
  { role, name, use, useNode, implicit }: Declared,
  all: readonly Declared[],
  loader: Loader,
  error: LoadError,
): Promise<void> {
  const builtIn = await loader.names(role)
  if (implicit && role === 'layer') {
    const hand = all.filter(other => other.role === 'layer' && !other.implicit).map(other => other.name)
    const hint = didYouMean(name, [...hand, ...builtIn])
    text.report('unknown_layer', useNode, `there is no layer "${name}", neither declared nor built in${hint}`)
  } else
    text.report(
      error.code,
      useNode,
      `${error.message}${error.message.includes('did you mean') ? '' : didYouMean(use ?? name, builtIn)}`,
    )
}

/** Two listeners cannot have one port. The number 0 asks the system for a free one. */
function checkPorts(text: PipelineText, surfaces: readonly Instance[]): void {
  const taken = new Map<number, string>()
  for (const { name, options, at } of surfaces) {
    const port = isRecord(options) ? options.port : undefined
    if (typeof port !== 'number' || port === 0) continue
    const other = taken.get(port)
    if (other === undefined) taken.set(port, name)
    else text.report('duplicate_port', at, `surfaces "${other}" and "${name}" both listen on port ${port}`)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
