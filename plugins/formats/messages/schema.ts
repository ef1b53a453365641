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

/**
 * A JSON Schema as `output_config.format` and strict tools take it: what it cannot hold moves into descriptions. The
 * vendor's grammar knows each object's members by name. Throws `OpenObject` for an object that may have others, as one
 * without them would be another answer.
 */
export function outputSchema(schema: JsonObject, path = ''): JsonObject {
  if (isOpen(schema)) throw new OpenObject(path)
  const out: JsonObject = {}
  const told: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    const at = path === '' ? key : `${path}.${key}`
    if (TOLD.has(key) || (key === 'format' && !FORMATS.has(String(value)))) told.push(`${key}: ${exactJson(value)}`)
    else if (key === 'oneOf') out.anyOf = nested(value, at)
    else if (NAMED.has(key) && isObject(value)) out[key] = mapped(value, at)
    else if (NESTED.has(key)) out[key] = nested(value, at)
    else out[key] = value
  }
  if (isObjects(schema)) {
    if (!isComposed(schema)) out.additionalProperties = false
    // Beside branches it would forbid the members that they name.
    else if (schema.additionalProperties !== false) delete out.additionalProperties
  }
  if (told.length > 0) out.description = [schema.description, `(${told.join(', ')})`].filter(Boolean).join(' ')
  return out
}

/** A part of a schema that the vendor's grammar cannot say. */
export class OpenObject extends Error {
  constructor(readonly path: string) {
    super(`${path === '' ? 'the schema' : path} is an object whose members have no fixed names`)
  }
}

const isObjects = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties)

/** May it have members that it does not name? `true` says no more than nothing does: an answer without others fits, too. */
function isOpen(schema: JsonObject): boolean {
  const { additionalProperties: others, patternProperties: patterns } = schema
  return hasMembers(others) || hasMembers(patterns) || (isObjects(schema) && !namesMembers(schema))
}

/** Does it, what it refers to or its branches say which members there are? Where a `$ref` leads is judged there. */
function namesMembers(schema: JsonObject): boolean {
  const { properties, additionalProperties: others, $ref, allOf, anyOf, oneOf } = schema
  if (hasMembers(properties) || others === false || $ref !== undefined) return true
  const eitherNames = (branches: unknown): boolean =>
    Array.isArray(branches) && branches.every(one => isObject(one) && (isNoObject(one) || namesMembers(one)))
  return schemasIn(allOf).some(namesMembers) || eitherNames(anyOf) || eitherNames(oneOf)
}

/** May members be named beside its own? */
const isComposed = ({ $ref, allOf, anyOf, oneOf }: JsonObject): boolean =>
  $ref !== undefined ||
  [allOf, anyOf, oneOf].some(branches => schemasIn(branches).some(one => hasMembers(one.properties) || isComposed(one)))

const schemasIn = (branches: unknown): JsonObject[] => (Array.isArray(branches) ? branches.filter(isObject) : [])

/** A branch without a type has that of the object. */
const isNoObject = (schema: JsonObject): boolean =>
  schema.enum !== undefined || schema.const !== undefined || (schema.type !== undefined && !isObjects(schema))

const hasMembers = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0

const nested = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return value.map((one, at) => (isObject(one) ? outputSchema(one, `${path}[${at}]`) : one))
  return isObject(value) ? outputSchema(value, path) : value
}

const mapped = (schemas: JsonObject, path: string): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, one]) => [name, isObject(one) ? outputSchema(one, `${path}.${name}`) : one]),
  )
