import { isObject, type JsonObject } from 'deflector'
import type { Patches } from './patches.ts'
import { EFFORTS, type Effort, type Quirks } from './quirks-schema.ts'

interface Words extends Pick<Quirks, 'efforts'> {
  /** This call may not think, whatever it asks for. */
  readonly without: boolean
  /** The field that turns thinking on and off. */
  readonly by: Quirks['thinking_switch']
  /** It cannot be turned off. */
  readonly always: boolean
}

/** `reasoning_effort` in the words of this vendor or model. */
export function thinkingPatches(body: JsonObject, { without, efforts, by, always }: Words): Patches {
  const asked = EFFORTS.find(word => word === body.reasoning_effort)
  if (asked === undefined) return {}
  const effort = without ? 'none' : asked
  if (effort === 'none' && always) return { reasoning_effort: undefined }
  const patches: Patches = {}
  if (by !== undefined) {
    const on = effort !== 'none'
    if (!(by in body)) patches[by] = JSON.stringify(switched(by, on))
    if (efforts === undefined || !on) return { ...patches, reasoning_effort: undefined }
  }
  const word = efforts ? nearest(effort, efforts) : effort
  if (word !== asked) patches.reasoning_effort = JSON.stringify(word)
  return patches
}

type Switch = NonNullable<Quirks['thinking_switch']>

const switched = (by: Switch, on: boolean): unknown => (by === 'thinking' ? { type: on ? 'enabled' : 'disabled' } : on)

/** Thinking off, whatever the body asks for: such vendors think unless they are told not to. */
export function withoutThinking(body: JsonObject, by: Switch | undefined, note?: (field: string) => void): Patches {
  const { reasoning_effort: effort } = body
  const given = by && body[by]
  const isOff = given === false || (isObject(given) && given.type === 'disabled')
  if (by === undefined || isOff) return {}
  if (given !== undefined) note?.(by)
  else if (effort !== undefined && effort !== null && effort !== 'none') note?.('reasoning_effort')
  return { [by]: JSON.stringify(switched(by, false)), reasoning_effort: undefined }
}

/** Of two words that are equally near, the one that thinks more. */
function nearest(effort: Effort, words: readonly Effort[]): Effort {
  const rank = (word: Effort): number => EFFORTS.indexOf(word)
  const distance = (word: Effort): number => Math.abs(rank(word) - rank(effort))
  return words.reduce((best, word) =>
    distance(word) < distance(best) || (distance(word) === distance(best) && rank(word) > rank(best)) ? word : best,
  )
}
