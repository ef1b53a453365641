import { isObject, type JsonObject } from 'deflector'
import { exactJson } from '../exact-json.ts'

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
/** What the vendor's grammar cannot enforce; the prompt says it in words. */
const TOLD = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])
/** Members that hold schemas by name. */
const NAMED = new Set(['properties', '$defs', 'definitions'])
/** Members that hold a schema or a list of them. */
const NESTED = new Set(['items', 'anyOf', 'allOf', 'prefixItems', 'not'])

/** A JSON Schema as `output_config.format` takes it. Nothing is lost: what it cannot hold moves into descriptions. */
export function outputSchema(schema: JsonObject): JsonObject {
  const out: JsonObject = {}
  const told: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (TOLD.has(key) || (key === 'format' && !FORMATS.has(String(value)))) told.push(`${key}: ${exactJson(value)}`)
    else if (key === 'oneOf') out.anyOf = nested(value)
    else if (NAMED.has(key) && isObject(value)) out[key] = mapped(value)
    else if (NESTED.has(key)) out[key] = nested(value)
    else out[key] = value
  }
  if (schema.type === 'object' || isObject(schema.properties)) out.additionalProperties = false
  if (told.length > 0) out.description = [schema.description, `(${told.join(', ')})`].filter(Boolean).join(' ')
  return out
}

const nested = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(one => (isObject(one) ? outputSchema(one) : one))
  return isObject(value) ? outputSchema(value) : value
}

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, isObject(one) ? outputSchema(one) : one]))
