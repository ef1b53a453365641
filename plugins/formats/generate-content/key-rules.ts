import type { KeyPlace, KeyRules } from 'deflector'

const CALL: KeyPlace = { id: 'call id' }
const TOOL: KeyPlace = {}
const PART: KeyPlace = {
  functionCall: { place: () => CALL },
  function_call: { place: () => CALL },
  functionResponse: { place: () => CALL },
  function_response: { place: () => CALL },
}
const CONTENT: KeyPlace = { parts: { place: () => PART } }

export const keyRules: KeyRules = { contents: { place: () => CONTENT }, tools: { place: () => TOOL } }
