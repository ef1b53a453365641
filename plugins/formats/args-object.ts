import type { JsonObject } from 'deflector'
import { isMap, parseExact } from './exact-json.ts'

/**
 * The arguments of a tool call as the object that some formats want. Nothing is ever thrown away: text that is not
 * JSON becomes `{_raw}`, and JSON that is no object becomes `{value}`.
 */
export function argsObject(args: string): JsonObject {
  if (args.trim() === '') return {}
  const value = parsed(args)
  if (value === undefined) return { _raw: args }
  return isMap(value) ? value : { value }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
