import { isObject, type JsonObject } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { camel } from './fields.ts'
import { OWN, type Proof } from './proof.ts'

/**
 * What the vendor did while it answered: searches of its own beside functions, and what they found. It wants these parts
 * back with the next turn. Clients of other dialects have no place for them but hidden reasoning, which they send back.
 */
const DEED = 'part:'

export function isOwnDeed(part: JsonObject): boolean {
  const { toolCall, toolResponse } = camel(part)
  return isObject(toolCall) || isObject(toolResponse)
}

/** Such a part as hidden reasoning. */
export const hiddenDeed = (part: JsonObject): Proof => ({ redacted: DEED + exactJson(part), origin: OWN })

/** The part that hidden reasoning bears; `undefined` for any other reasoning. */
export function deedIn({ redacted, origin }: Proof): JsonObject | undefined {
  if (origin !== OWN || !redacted?.startsWith(DEED)) return undefined
  try {
    const part: unknown = JSON.parse(redacted.slice(DEED.length))
    return isObject(part) && isOwnDeed(part) ? part : undefined
  } catch {
    return undefined // A client could have written it.
  }
}
