import type { Loader } from '../../../core/pipeline/loader.ts'
import { NAME, SECTIONS } from '../../../core/pipeline/read.ts'
import type { Plugin } from '../../../core/plugin.ts'
import type { Role } from '../../../core/role.ts'
import { type Shape, shapeOf } from './shape.ts'
import { Test } from './test/section.ts'

/** An option may name a setting instead of holding a value. */
const PLACE: Shape = { type: 'string', pattern: '\\$\\{' }

interface BuiltIn {
  readonly role: Role
  readonly name: string
  readonly plugin: Plugin
  readonly preset: Readonly<Record<string, unknown>>
}

/** JSON Schema of pipeline files, for editors: every built-in plugin with its options, and any other `use` besides. */
export async function pipelineSchema(loader: Loader): Promise<Shape> {
  const builtIn: BuiltIn[] = []
  for (const role of Object.values(SECTIONS)) {
    for (const name of await loader.names(role)) {
      const { plugin, preset } = await loader.load(role, name, process.cwd())
      builtIn.push({ role, name, plugin, preset })
    }
  }
  const sections = Object.entries(SECTIONS).map(([section, role]) => [
    section,
    sectionShape(
      role,
      builtIn.filter(one => one.role === role),
    ),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'deflector pipeline',
    description: 'Who may ask, which way a prompt takes, what can answer it, where things are kept.',
    type: 'object',
    properties: {
      ...Object.fromEntries(sections),
      flows: {
        description: 'Lists of layers. The order is the order in which they are asked.',
        type: ['object', 'null'],
        additionalProperties: { anyOf: [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, PLACE] },
      },
      tests: {
        description: 'Run with `deflector pipeline test FILE`.',
        type: 'array',
        items: withoutFormats(shapeOf(Test)),
      },
    },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
    $defs: Object.fromEntries(defs(builtIn)),
  }
}

const defName = (role: Role, plugin: Plugin): string => `${role}.${plugin.name}`

/** Options of each plugin, once. What any alias brings along is not required of the file. */
function defs(builtIn: readonly BuiltIn[]): [string, Shape][] {
  return builtIn
    .filter(({ name, plugin }) => plugin.name === name)
    .flatMap(({ role, plugin }) => {
      const presets = builtIn.filter(one => one.plugin === plugin).flatMap(one => Object.keys(one.preset))
      const { required = [], properties = {}, ...rest } = withoutFormats(shapeOf(plugin.options))
      const open = Object.entries(properties).map(([option, shape]) => [option, orPlace(shape)] as const)
      const wanted = required.filter(option => !presets.includes(option))
      const shape = { ...rest, properties: Object.fromEntries(open), ...(wanted.length > 0 && { required: wanted }) }
      return [
        [defName(role, plugin), shape],
        [keyedName(role, plugin), keyed(role, plugin)],
      ]
    })
}

function orPlace({ description, default: fallback, ...shape }: Shape): Shape {
  const said = {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  }
  if (shape.type === 'string' && Object.keys(shape).length === 1) return { ...said, ...shape }
  return { ...said, anyOf: [shape, PLACE] }
}

/** Options of what one plugin made. */
const optionsOf = (role: Role, plugin: Plugin): Shape => ({
  type: ['object', 'null'],
  properties: { options: { anyOf: [{ $ref: `#/$defs/${defName(role, plugin)}` }, PLACE, { type: 'null' }] } },
})

/** An instance whose key names the plugin, unless its `use` does. */
const keyedName = (role: Role, plugin: Plugin): string => `${defName(role, plugin)}.instance`

const keyed = (role: Role, plugin: Plugin): Shape => ({
  allOf: [{ $ref: `#/properties/${sectionOf(role)}/additionalProperties` }],
  if: { not: { type: 'object', properties: { use: {} }, required: ['use'] } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: optionsOf(role, plugin),
})

function sectionShape(role: Role, builtIn: readonly BuiltIn[]): Shape {
  const plugins = [...new Set(builtIn.map(({ plugin }) => plugin))]
  const namesOf = (plugin: Plugin): string[] => builtIn.filter(one => one.plugin === plugin).map(({ name }) => name)
  const chosen = plugins.map(plugin => ({
    if: { type: 'object', properties: { use: { enum: namesOf(plugin) } }, required: ['use'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: optionsOf(role, plugin),
  }))
  const instance: Shape = {
    type: ['object', 'null'],
    properties: {
      use: {
        description: 'A built-in name, a path or a package. Default: the key.',
        anyOf: [...(builtIn.length > 0 ? [{ enum: builtIn.map(({ name }) => name) }] : []), { type: 'string' }],
      },
      options: {},
      ...(role === 'surface' && { flow: { description: 'The flow that it feeds.', type: 'string' } }),
    },
    additionalProperties: false,
    ...(chosen.length > 0 && { allOf: chosen }),
  }
  const named = builtIn.map(({ name, plugin }) => [
    name,
    { description: plugin.summary, $ref: `#/$defs/${keyedName(role, plugin)}` },
  ])
  return {
    type: ['object', 'null'],
    properties: {
      '...': { description: 'A setting that holds further instances.', ...PLACE },
      ...Object.fromEntries(named),
    },
    additionalProperties: instance,
    propertyNames: { anyOf: [{ pattern: NAME.source }, { const: '...' }] },
  }
}

const URI = '^[A-Za-z][A-Za-z0-9+.-]*:'

/** Strict validators refuse a `format` that they were not taught; a URL is known by a pattern instead. */
function withoutFormats(shape: Shape): Shape {
  const { format, ...rest } = shape
  const said = typeof format === 'string' ? rest : shape
  const walked = Object.entries(said).map(([keyword, value]) => [keyword, inside(keyword, value)])
  return { ...Object.fromEntries(walked), ...(format === 'uri' && { pattern: URI }) }
}

/** What a keyword holds: a schema, a list of them, a map of them, or a plain value. */
function inside(keyword: string, value: unknown): unknown {
  if (['default', 'const', 'enum', 'required', 'type'].includes(keyword)) return value
  if (Array.isArray(value)) return value.map(one => (isRecord(one) ? withoutFormats(one) : one))
  if (!isRecord(value)) return value
  if (keyword !== 'properties' && keyword !== 'patternProperties') return withoutFormats(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isRecord(one) ? withoutFormats(one) : one]),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sectionOf = (role: Role): string => Object.entries(SECTIONS).find(([, one]) => one === role)?.[0] ?? ''
