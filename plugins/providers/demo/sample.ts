import { isObject, type JsonObject } from 'deflector'

/** A value that fits a JSON Schema, filled from the words of the prompt where they say something. */
export function sampleOf(schema: unknown, prompt: string, name = '', depth = 0): unknown {
  if (!isObject(schema) || depth > 8) return {}
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum))
    return schema.enum.find(value => prompt.toLowerCase().includes(String(value).toLowerCase())) ?? schema.enum[0]
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[key]
    if (Array.isArray(choices)) return sampleOf(choices[0], prompt, name, depth + 1)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'string':
      return stringFor(name, prompt)
    case 'integer':
    case 'number':
      return numberFor(name, prompt, type === 'integer')
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [sampleOf(schema.items, prompt, name, depth + 1)]
    default:
      return objectFor(schema, prompt, depth)
  }
}

function objectFor(schema: JsonObject, prompt: string, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : Object.keys(properties)
  return Object.fromEntries(
    required.filter(key => key in properties).map(key => [key, sampleOf(properties[key], prompt, key, depth + 1)]),
  )
}

/** `city: Paris`, else something in quotes, else "in Paris", else the name itself. */
function stringFor(name: string, prompt: string): string {
  return (
    new RegExp(`\\b${escaped(name)}\\s*[:=]\\s*["']?([^"',;\\n]+)`, 'i').exec(prompt)?.[1]?.trim() ??
    /["'“]([^"'”]+)["'”]/.exec(prompt)?.[1] ??
    /\b(?:in|for|of|about|to)\s+(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)/u.exec(prompt)?.[1] ??
    (name || 'example')
  )
}

function numberFor(name: string, prompt: string, whole: boolean): number {
  const given =
    new RegExp(`\\b${escaped(name)}\\s*[:=]?\\s*(-?\\d+(?:\\.\\d+)?)`, 'i').exec(prompt)?.[1] ??
    /-?\d+(?:\.\d+)?/.exec(prompt)?.[0]
  const value = Number(given ?? 1)
  return whole ? Math.trunc(value) : value
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
