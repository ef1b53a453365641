import type { AnswerEvent } from 'deflector'

const ENDING: ReadonlySet<AnswerEvent['type']> = new Set(['refusal', 'reasoning', 'signature', 'tool_call', 'opaque'])

/** Between two blocks of a vendor that follow each other and are one canonical text. What is cited next is said after it. */
export const BOUNDARY: AnswerEvent = { type: 'text', text: '' }

/** Does the text that follows this event belong to another block? Citations, and places in them, count from its beginning. */
export const endsText = (event: AnswerEvent): boolean =>
  ENDING.has(event.type) || (event.type === 'text' && event.text === '' && !event.logprobs)
