import type { KeyPlace, KeyRules } from 'deflector'

const CALL: KeyPlace = { id: 'call id' }

/** A message, a part of one, or a tool. */
const NODE: KeyPlace = {
  content: { place: () => NODE, text: true },
  tool_call_id: 'call id',
  tool_calls: { place: () => CALL },
  function: { place: () => NODE },
}

export const keyRules: KeyRules = { messages: { place: () => NODE }, tools: { place: () => NODE } }
