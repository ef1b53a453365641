import { type Chat, isObject, type JsonObject } from 'deflector'
import type { Omittable } from './omitted.ts'

/** Members that hold schemas by name. */
const NAMED = ['properties', '$defs', 'definitions'] as const
/** Members that say what a value is; a schema without any would take all values. */
const KINDS = ['type', '$ref', 'anyOf', 'enum', 'const'] as const
/** What OpenAI's strict mode has no grammar for. */
const UNKNOWN = ['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'] as const

/** `strict` as a vendor takes it beside this schema: a `true` that would have the request refused is left out. */
export const strictOf = (strict: boolean | undefined, schema: JsonObject | undefined): boolean | undefined =>
  strict === true && !(schema && isStrictSchema(schema)) ? undefined : strict

/** Where `strictOf` leaves a `true` out. */
export const losesStrict = ({ tools, responseFormat }: Chat): (Omittable | false)[] => [
  tools.some(({ strict, parameters }) => strict !== strictOf(strict, parameters)) && 'tools.strict',
  responseFormat?.type === 'schema' &&
    responseFormat.strict !== strictOf(responseFormat.strict, responseFormat.schema) &&
    'response_format.strict',
]

/**
 * Does the schema fulfil the demands of OpenAI's strict mode? A request with `strict: true` is refused otherwise: objects
 * are closed and require all of their properties, and the root is such an object.
 */
function isStrictSchema(schema: JsonObject): boolean {
  const known = verdicts.get(schema)
  if (known !== undefined) return known
  const verdict = schema.type === 'object' && schema.anyOf === undefined && isStrict(schema)
  verdicts.set(schema, verdict)
  return verdict
}

/** A schema is asked about when it is written, and when what was left out is noted. */
const verdicts = new WeakMap<JsonObject, boolean>()

function isStrict(schema: unknown): boolean {
  if (!isObject(schema) || UNKNOWN.some(key => key in schema) || !KINDS.some(key => key in schema)) return false
  const { items, anyOf } = schema
  return (
    (!isObjects(schema) || isClosed(schema)) &&
    NAMED.every(key => !isObject(schema[key]) || Object.values(schema[key]).every(isStrict)) &&
    (items === undefined || isStrict(items)) &&
    (!Array.isArray(anyOf) || anyOf.every(isStrict))
  )
}

const isObjects = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined

function isClosed({ additionalProperties, properties = {}, required = [] }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties) || !Array.isArray(required)) return false
  const names = new Set(required)
  return Object.keys(properties).every(name => names.has(name))
}
