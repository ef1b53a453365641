import { z } from 'zod'
import type { Plugin } from '../../../core/plugin.ts'

/** The part of JSON Schema that zod writes and we read. */
export interface Shape {
  readonly [key: string]: unknown
  readonly type?: string | readonly string[] | undefined
  readonly description?: string | undefined
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[] | undefined
  readonly anyOf?: readonly Shape[] | undefined
  readonly oneOf?: readonly Shape[] | undefined
  /** `false` behind a list of fixed length. */
  readonly items?: Shape | boolean | undefined
  readonly properties?: Readonly<Record<string, Shape>> | undefined
  readonly required?: readonly string[] | undefined
}

const Shape: z.ZodType<Shape> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(Shape).optional(),
    oneOf: z.array(Shape).optional(),
    items: z.union([Shape, z.boolean()]).optional(),
    properties: z.record(z.string(), Shape).optional(),
    required: z.array(z.string()).optional(),
  }),
)

/** A zod schema as JSON Schema, as a file may write it: before defaults and transforms. */
export function shapeOf(schema: z.ZodType): Shape {
  const { $schema, ...shape } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' })
  return Shape.parse(shape)
}

export interface OptionRow {
  readonly option: string
  readonly type: string
  readonly required: boolean
  readonly default?: unknown
  readonly description: string
}

/** One row for each option of a plugin. */
export function optionRows(plugin: Plugin): OptionRow[] {
  const { properties = {}, required = [] } = shapeOf(plugin.options)
  return Object.entries(properties).map(([option, shape]) => ({
    option,
    type: typeName(shape),
    required: required.includes(option),
    ...(shape.default !== undefined && { default: shape.default }),
    description: shape.description ?? '',
  }))
}

/** A type in words: `integer`, `exact | both`, `list of string`. */
function typeName(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum)
    return shape.enum.map(value => (typeof value === 'string' ? value : JSON.stringify(value))).join(' | ')
  const either = shape.anyOf ?? shape.oneOf
  if (either) return [...new Set(either.map(typeName))].join(' | ')
  if (shape.type === 'array') return `list of ${typeof shape.items === 'object' ? typeName(shape.items) : 'anything'}`
  if (shape.type === 'object') return shape.properties ? 'table' : 'map'
  return [shape.type ?? 'anything'].flat().join(' | ')
}
