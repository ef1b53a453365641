import { isObject, type JsonObject } from 'deflector'
import { exactJson, isMap, parseExact } from '../exact-json.ts'

/** Between JSON Schema and the vendor's older subset of it, which spells types in capitals and refuses what it does not know. */

/** Members that the subset has and that mean the same there. */
const KEPT = new Set([
  'format',
  'title',
  'description',
  'default',
  'minItems',
  'maxItems',
  'propertyOrdering',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
])
/** `$ref`s are written out so deep; one that leads back to itself would never end. */
const DEPTH = 8

/** A JSON Schema in the subset. What the subset cannot say is left out: it would refuse the request. */
export function toSubset(schema: JsonObject): JsonObject {
  return subset(schema, schema, DEPTH)
}

function subset(given: unknown, root: JsonObject, depth: number): JsonObject {
  if (!isObject(given)) return {}
  if (depth === 0) return { type: 'OBJECT' }
  const schema = merged(resolved(given, root), root)
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) if (KEPT.has(key)) out[key] = value
  const inner = (value: unknown): JsonObject => subset(value, root, depth - 1)
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  const named = types.filter(type => type !== 'null')
  if (named.length < types.length || schema.nullable === true) out.nullable = true
  if (named.length === 1) out.type = String(named[0]).toUpperCase()
  else if (named.length > 1) out.anyOf = named.map(type => inner({ ...schema, type }))
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (Array.isArray(values) && named.length < 2) {
    // Only words can be listed there.
    out.enum = values
      .filter(value => value !== null)
      .map(value => (typeof value === 'string' ? value : exactJson(value)))
    out.type = 'STRING'
    if (values.includes(null)) out.nullable = true
  }
  if (isObject(schema.properties) && named.length < 2) {
    out.type = 'OBJECT'
    out.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, inner(one)]))
  }
  if (schema.items !== undefined && named.length < 2) out.items = inner(schema.items)
  else if (out.type === 'ARRAY') out.items = {}
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) {
    const real = choices.filter(choice => !(isObject(choice) && choice.type === 'null'))
    if (real.length < choices.length) out.nullable = true
    if (real.length === 1) return { ...inner(real[0]), ...out }
    out.anyOf = real.map(inner)
  }
  return out
}

/** The schema that `$ref` stands for, with what stands beside it. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: ref, ...beside } = schema
  if (typeof ref !== 'string') return schema
  let found: unknown = root
  for (const name of ref.split('/').slice(1)) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) || Array.isArray(found) ? Reflect.get(found, key) : undefined
  }
  return isObject(found) ? { ...found, ...beside } : { type: 'object', ...beside }
}

/** What all schemas of `allOf` say together, as far as they do not contradict each other. */
function merged(schema: JsonObject, root: JsonObject): JsonObject {
  const { allOf, ...out } = schema
  if (!Array.isArray(allOf)) return schema
  for (const one of allOf) {
    if (!isObject(one)) continue
    const part = merged(resolved(one, root), root)
    for (const [key, value] of Object.entries(part)) {
      const before = out[key]
      if (isMap(before) && isMap(value)) out[key] = { ...before, ...value }
      else if (Array.isArray(before) && Array.isArray(value)) out[key] = [...new Set([...before, ...value])]
      else out[key] = value
    }
  }
  return out
}

/** Members of the subset that hold a count, which its clients may send as a text. */
const COUNTS = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'])

/** The reverse. A schema that is one already stays as it is. */
export function fromSubset(given: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(given)) {
    if (key === 'type' && typeof value === 'string') out.type = value.toLowerCase()
    else if (key === 'properties' && isObject(value)) out.properties = mapped(value)
    else if (key === 'items' || key === 'anyOf' || key === 'any_of')
      out[key === 'any_of' ? 'anyOf' : key] = nested(value)
    else if (COUNTS.has(key) && typeof value === 'string')
      out[key] = /^\d+$/.test(value) ? parseExact(value) : Number(value)
    else if (key !== 'nullable' && key !== 'propertyOrdering' && key !== 'property_ordering' && !isEnumMark(key, value))
      out[key] = value
  }
  if (out.type === 'type_unspecified') delete out.type
  return given.nullable === true ? orNull(out) : out
}

/** Says of a list of words that it is one. */
const isEnumMark = (key: string, value: unknown): boolean => key === 'format' && value === 'enum'

function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}

const nested = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(nested)
  return isObject(value) ? fromSubset(value) : value
}

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, nested(one)]))
