import type { KeyPlace, KeyRules } from 'deflector'

const CALL: KeyPlace = { id: 'call id' }
const TOOL: KeyPlace = {}
const PART: KeyPlace = { functionCall: { place: () => CALL }, functionResponse: { place: () => CALL } }
const CONTENT: KeyPlace = { parts: { place: () => PART } }

export const keyRules: KeyRules = { contents: { place: () => CONTENT }, tools: { place: () => TOOL } }
