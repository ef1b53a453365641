import { isObject } from 'deflector'
import { parse } from 'yaml'
import type { Shape } from '../../surfaces/cli/pipeline/shape.ts'

/** Where a YAML document breaks a JSON Schema; just the keywords that our schema uses. */
export function schemaFaults(schema: Shape, yaml: string): string[] {
  const value: unknown = parse(yaml)
  return faults(schema, value, '$')

  function faults(shape: unknown, at: unknown, path: string): string[] {
    if (shape === false) return [`${path} may not be there`]
    if (!isObject(shape)) return []
    const found: string[] = []
    const fault = (what: string): void => void found.push(`${path} ${what}`)
    const fits = (one: unknown): boolean => faults(one, at, path).length === 0
    if (typeof shape.$ref === 'string') found.push(...faults(pointed(shape.$ref), at, path))
    if (shape.type !== undefined && ![shape.type].flat().some(type => isOf(type, at)))
      fault(`is no ${String(shape.type)}`)
    if ('const' in shape && shape.const !== at) fault('is another constant')
    if (Array.isArray(shape.enum) && !shape.enum.includes(at)) fault('is none of the list')
    if (typeof shape.pattern === 'string' && typeof at === 'string' && !new RegExp(shape.pattern).test(at))
      fault('fits no pattern')
    if (typeof shape.minimum === 'number' && typeof at === 'number' && at < shape.minimum) fault('is too small')
    for (const key of ['anyOf', 'oneOf']) {
      const branches = shape[key]
      if (Array.isArray(branches) && !branches.some(fits)) fault(`fits no branch of ${key}`)
    }
    if (Array.isArray(shape.allOf)) found.push(...shape.allOf.flatMap(one => faults(one, at, path)))
    if ('not' in shape && fits(shape.not)) fault('fits what it must not')
    if ('if' in shape && fits(shape.if)) found.push(...faults(shape.then, at, path))
    if (Array.isArray(at)) found.push(...at.flatMap((item, index) => faults(shape.items, item, `${path}[${index}]`)))
    if (isObject(at)) found.push(...ofObject(shape, at, path))
    return found
  }

  function ofObject(shape: Record<string, unknown>, at: Record<string, unknown>, path: string): string[] {
    const { properties = {}, patternProperties = {}, additionalProperties, required, propertyNames } = shape
    const missing = Array.isArray(required) ? required.filter(key => !(String(key) in at)) : []
    return [
      ...missing.map(key => `${path} lacks ${String(key)}`),
      ...Object.entries(at).flatMap(([key, value]) => {
        const names = propertyNames === undefined ? [] : faults(propertyNames, key, `${path}.${key}`)
        const own = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
        const matched = isObject(patternProperties)
          ? Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern).test(key))
          : []
        const shapes = [...(own === undefined ? [] : [own]), ...matched.map(([, one]) => one)]
        const used = shapes.length > 0 ? shapes : [additionalProperties]
        return [...names, ...used.flatMap(one => faults(one, value, `${path}.${key}`))]
      }),
    ]
  }

  function pointed(ref: string): unknown {
    return ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), schema)
  }
}

/** What a strict validator refuses in a schema: a keyword without its type, a required key it does not know, a format. */
export function strictFaults(schema: unknown, path = '$'): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => strictFaults(one, `${path}[${index}]`))
  if (!isObject(schema)) return []
  const { type, properties, required, format } = schema
  const found: string[] = []
  if (typeof format === 'string') found.push(`${path} has the format ${format}`)
  if (properties !== undefined && ![type].flat().includes('object')) found.push(`${path} has properties, but no type`)
  const known = isObject(properties) ? properties : {}
  const unknown = Array.isArray(required) ? required.filter(key => !Object.hasOwn(known, String(key))) : []
  found.push(...unknown.map(key => `${path} requires ${String(key)}, which it does not know`))
  for (const [keyword, value] of Object.entries(schema)) {
    if (['default', 'const', 'enum', 'required'].includes(keyword)) continue
    const named = ['properties', 'patternProperties', '$defs'].includes(keyword) && isObject(value)
    if (!named) found.push(...strictFaults(value, `${path}.${keyword}`))
    else for (const [key, one] of Object.entries(value)) found.push(...strictFaults(one, `${path}.${keyword}.${key}`))
  }
  return found
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}
