import type { KeyPlace, KeyRules } from 'deflector'
import { isReference } from './item-ids.ts'

const TOOL: KeyPlace = {}
const PART: KeyPlace = {}

/** Items of `input` bear the ids that the vendor gave them, which change nothing unless an id is all there is. */
const ITEM: KeyPlace = {
  id: { rule: 'noise', when: item => !isReference(item) },
  call_id: 'call id',
  content: { place: () => PART, text: true },
}

export const keyRules: KeyRules = { input: { place: () => ITEM }, tools: { place: () => TOOL } }
