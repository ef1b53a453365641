import type { JsonObject, KeyPlace, KeyRules } from 'deflector'
import { plainText } from '../plain-text.ts'
import { isBilling } from './billing.ts'

const isToolUse = ({ type }: JsonObject): boolean => typeof type === 'string' && type.endsWith('tool_use')

const SYSTEM: KeyPlace = {}

/** A message, a block of one, or a tool. */
const NODE: KeyPlace = {
  id: { rule: 'call id', when: isToolUse },
  tool_use_id: 'call id',
  content: { place: () => NODE, text: true },
  source: { place: () => NODE },
}

export const keyRules: KeyRules = {
  // A client sends one billing block; many of them would have room for a sentence.
  system: { place: () => SYSTEM, text: true, without: isBillingBlock },
  messages: { place: () => NODE },
  tools: { place: () => NODE },
}

/** A block that is plain text and nothing else. */
function isBillingBlock(block: unknown): boolean {
  const text = plainText([block])
  return text !== undefined && isBilling(text)
}
