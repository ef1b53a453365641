import { isObject, type JsonObject } from 'deflector'
import { exactJson, isMap } from 'deflector/formats/exact-json'

/** Members that hold schemas by name. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Members that hold values, not schemas. */
const VALUES = new Set(['enum', 'const', 'default', 'examples', 'required'])

/** The tools with schemas as the strictest vendors read them; `undefined` when nothing has to change. */
export function patchedTools(tools: unknown): unknown[] | undefined {
  if (!Array.isArray(tools)) return undefined
  const out = tools.map((tool: unknown) => {
    if (!isObject(tool) || !isObject(tool.function) || !isObject(tool.function.parameters)) return tool
    const parameters = { ...plain(tool.function.parameters) }
    if (parameters.type !== 'object') parameters.type = 'object'
    return { ...tool, function: { ...tool.function, parameters } }
  })
  return exactJson(out) === exactJson(tools) ? undefined : out
}

function plain(schema: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$schema') continue
    if (VALUES.has(key)) out[key] = value
    else if (NAMED.has(key) && isObject(value)) out[key] = mapped(value)
    else if (key === 'items' && Array.isArray(value)) out.prefixItems = nested(value)
    else out[key] = nested(value)
  }
  const { type, anyOf, ...rest } = out
  if (type === undefined || !Array.isArray(anyOf)) return out
  return { ...rest, anyOf: anyOf.map((one: unknown) => (isObject(one) && !('type' in one) ? { type, ...one } : one)) }
}

const nested = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(nested)
  return isMap(value) ? plain(value) : value
}

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, nested(one)]))
