import type { JsonObject, KeyPlace, KeyRules } from 'deflector'
import { plainText } from '../plain-text.ts'

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
  system: { place: () => SYSTEM, text: true, without: isBilling },
  messages: { place: () => NODE },
  tools: { place: () => NODE },
}

/** What one client sends as a system block of its own. Anything more may be an instruction. */
const BILLING = /^x-anthropic-billing-header:(?: *(?:cc_version|cc_entrypoint|cch)=[\w.-]{1,64};)+\s*$/

/** One plain text block of exactly the shape that the client sends: each name once, and short values. */
function isBilling(block: unknown): boolean {
  const text = plainText([block])
  if (text === undefined || !BILLING.test(text)) return false
  const names = text.match(/\w+(?==)/g) ?? []
  return new Set(names).size === names.length
}
