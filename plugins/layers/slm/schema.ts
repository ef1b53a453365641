import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from 'deflector'

/** Says nothing of what fits. */
const NOTES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'title',
  'description',
  'examples',
  'default',
  '$comment',
])

type Check = (value: unknown) => boolean

/**
 * What a schema asks of a value, as far as its keywords are known here; `undefined` for a schema with any other one.
 * `pattern` is not among them: the expression is the client's, and some take for ever.
 */
export function checkOf(schema: unknown, depth = 0): Check | undefined {
  if (typeof schema === 'boolean') return () => schema
  if (!isObject(schema) || depth > DEEPEST) return undefined
  const checks: Check[] = []
  for (const [keyword, asked] of Object.entries(schema)) {
    if (NOTES.has(keyword)) continue
    const check = KEYWORDS.get(keyword)?.(asked, schema, depth + 1)
    if (!check) return undefined
    checks.push(check)
  }
  return value => checks.every(check => check(value))
}

const DEEPEST = 20

type Keyword = (asked: unknown, schema: JsonObject, depth: number) => Check | undefined

const TYPES: ReadonlyMap<unknown, Check> = new Map<unknown, Check>(
  Object.entries({
    object: isObject,
    array: Array.isArray,
    string: (value: unknown) => typeof value === 'string',
    number: (value: unknown) => typeof value === 'number',
    integer: Number.isInteger,
    boolean: (value: unknown) => typeof value === 'boolean',
    null: (value: unknown) => value === null,
  }),
)

const within =
  (sizeOf: (value: unknown) => number | undefined, isIn: (size: number, bound: number) => boolean): Keyword =>
  asked => {
    if (typeof asked !== 'number') return undefined
    return value => {
      const size = sizeOf(value)
      return size === undefined || isIn(size, asked)
    }
  }
const least = (size: number, bound: number): boolean => size >= bound
const most = (size: number, bound: number): boolean => size <= bound
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
/** In characters, not in the halves of pairs. */
const characters = (value: unknown): number | undefined => (typeof value === 'string' ? [...value].length : undefined)
const items = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined)

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    type(asked) {
      const types = [asked].flat().map(type => TYPES.get(type))
      return types.includes(undefined) ? undefined : value => types.some(is => is?.(value))
    },
    enum: asked => (Array.isArray(asked) ? value => asked.some(one => isDeepStrictEqual(one, value)) : undefined),
    const: asked => value => isDeepStrictEqual(asked, value),
    properties(asked, _, depth) {
      if (!isObject(asked)) return undefined
      const checks = Object.entries(asked).map(([name, schema]) => [name, checkOf(schema, depth)] as const)
      if (checks.some(([, check]) => !check)) return undefined
      return value =>
        !isObject(value) || checks.every(([name, check]) => !Object.hasOwn(value, name) || check?.(value[name]))
    },
    required(asked) {
      if (!Array.isArray(asked)) return undefined
      return value => !isObject(value) || asked.every(name => Object.hasOwn(value, String(name)))
    },
    additionalProperties(asked, { properties }, depth) {
      const check = checkOf(asked, depth)
      const known = isObject(properties) ? properties : {}
      const others = (value: JsonObject): string[] => Object.keys(value).filter(name => !Object.hasOwn(known, name))
      return check && (value => !isObject(value) || others(value).every(name => check(value[name])))
    },
    items(asked, _, depth) {
      const check = checkOf(asked, depth)
      return check && (value => !Array.isArray(value) || value.every(check))
    },
    anyOf(asked, _, depth) {
      if (!Array.isArray(asked)) return undefined
      const checks = asked.map(schema => checkOf(schema, depth))
      return checks.includes(undefined) ? undefined : value => checks.some(check => check?.(value))
    },
    minimum: within(number, least),
    maximum: within(number, most),
    minLength: within(characters, least),
    maxLength: within(characters, most),
    minItems: within(items, least),
    maxItems: within(items, most),
  }),
)
