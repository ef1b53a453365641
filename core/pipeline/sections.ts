import type { Node } from 'yaml'
import { isObject } from '../json/object.ts'
import type { Role } from '../role.ts'
import { didYouMean } from './suggest.ts'
import type { Entry, PipelineText } from './text.ts'

/** The sections that declare plugins, and the role of the plugins in each. */
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
export interface Declared {
  readonly role: Role
  readonly name: string
  /** `undefined` when the name of the plugin could not be read; that has been reported. */
  readonly use: string | undefined
  readonly flow?: string
  readonly options: Readonly<Record<string, unknown>>
  readonly optionsNode: Node | undefined
  readonly useNode: Node
  readonly flowNode?: Node | undefined
  readonly keyNode: Node
  /** From `...`, or a layer that only a flow names: it was not declared by hand, so it may go unused. */
  readonly implicit?: boolean
  /** Of one from `...`: where it stands in the setting at `useNode`. */
  readonly inSetting?: readonly string[]
}

export const isSection = (key: string): key is keyof typeof SECTIONS => Object.hasOwn(SECTIONS, key)

/** What one section declares. */
export function readSection(text: PipelineText, section: keyof typeof SECTIONS, node: Node | undefined): Declared[] {
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
  if (isObject(value)) return value
  if (value !== null && value !== undefined) text.report('wrong_shape', node, `${what} must be a mapping`)
  return {}
}

/** Instances out of a setting. What the setting holds is taken as it is: places in it are not filled in. */
function readSpread(text: PipelineText, role: Role, { keyNode, value }: Entry): Declared[] {
  const at = value ?? keyNode
  return Object.entries(asMap(text, value, '"..."')).flatMap(([name, given]) => {
    const { use = name, options = {}, ...rest } = isObject(given) ? given : {}
    if (!NAME.test(name) || typeof use !== 'string' || !isObject(options) || Object.keys(rest).length > 0) {
      text.report('wrong_shape', at, `the entry "${name}" of this setting is not {use, options}`)
      return []
    }
    return [
      { role, name, use, options, optionsNode: undefined, useNode: at, keyNode: at, implicit: true, inSetting: [name] },
    ]
  })
}
