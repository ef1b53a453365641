import { type Fitting, isObject, type JsonObject, type JsonPath } from 'deflector'
import { cannotReason } from '../effort-words.ts'

/** What it is asked to show. */
const PROOF = 'reasoning.encrypted_content'

/**
 * A body without what a model that does not reason refuses: an effort, a verbosity, proofs to be shown, and what others
 * have reasoned before.
 */
export function forModel(body: JsonObject, model: string): Fitting | undefined {
  if (!cannotReason(model)) return undefined
  const { reasoning, include, text, input } = body
  const parts: JsonPath[] = []
  const omitted: string[] = []
  if (isObject(reasoning)) {
    parts.push(['reasoning'])
    if (reasoning.effort !== 'none') omitted.push('reasoning')
  }
  parts.push(...placesIn(include, one => one === PROOF).map(at => ['include', at]))
  if (isObject(text) && text.verbosity !== undefined) {
    parts.push(['text', 'verbosity'])
    omitted.push('text.verbosity')
  }
  parts.push(...placesIn(input, item => isObject(item) && item.type === 'reasoning').map(at => ['input', at]))
  return parts.length === 0 ? undefined : { parts, omitted }
}

const placesIn = (list: unknown, fits: (item: unknown) => boolean): number[] =>
  Array.isArray(list) ? [...list.keys()].filter(at => fits(list[at])) : []
