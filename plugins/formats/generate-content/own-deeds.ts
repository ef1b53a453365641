import { isObject, type JsonObject, type OwnStep } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { codeInWords, outputInWords } from '../ran-code.ts'
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

/** What a part says of something that the vendor did itself; `undefined` for any other part. */
export function stepIn(part: JsonObject): OwnStep | undefined {
  const { executableCode: ran, codeExecutionResult: result } = camel(part)
  if (isObject(ran) && typeof ran.code === 'string')
    return { field: CODE, told: [codeInWords(ran.code, String(ran.language ?? '').toLowerCase())] }
  if (isObject(result)) {
    const { output } = result
    return { field: RESULT, told: typeof output === 'string' && output !== '' ? [outputInWords(output)] : [] }
  }
  return isOwnDeed(part) ? { field: 'contents.toolCall', told: [] } : undefined
}

/** Code that runs, and what came of it. */
export const CODE = 'contents.executableCode'
export const RESULT = 'contents.codeExecutionResult'

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
