import type { JsonObject, KeyPlace, KeyRules } from 'deflector'

const isReference = ({ type, role }: JsonObject): boolean =>
  type === 'item_reference' || (type === undefined && role === undefined)

const TOOL: KeyPlace = {}
const PART: KeyPlace = {}

/** Items of `input` bear the ids that the vendor gave them, which change nothing unless an id is all there is. */
const ITEM: KeyPlace = {
  id: { rule: 'noise', when: item => !isReference(item) },
  call_id: 'call id',
  content: { place: () => PART, text: true },
}

export const keyRules: KeyRules = { input: { place: () => ITEM }, tools: { place: () => TOOL } }
