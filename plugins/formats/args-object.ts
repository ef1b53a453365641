import { endOfValue, type JsonObject, skipSpace } from 'deflector'
import { isMap, parseExact } from './exact-json.ts'

/**
 * The arguments of a tool call as the object that some formats want. Nothing is ever thrown away: text that is not
 * JSON becomes `{_raw}`, and JSON that is no object becomes `{value}`. So does, as text, what is nested more deeply than a
 * body may be: no vendor would read it, and nothing here could write it.
 */
export function argsObject(args: string): JsonObject {
  if (args.trim() === '') return {}
  const value = parsed(args)
  if (value === undefined) return { _raw: args }
  return isMap(value) ? value : { value }
}

/** Characters that a text needs at least to be nested too deeply. */
const DEEP_LENGTH = 2000

function parsed(text: string): unknown {
  try {
    if (text.length > DEEP_LENGTH) refuseDeep(Buffer.from(text))
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** The search for the end of a value throws on one that is nested too deeply. */
const refuseDeep = (json: Buffer): number => endOfValue(json, skipSpace(json, 0))
