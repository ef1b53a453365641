import { isObject, type JsonObject, type ToolCallBlock } from 'deflector'
import { encodeCall } from './encode-messages.ts'

/**
 * The form of tools before `tools`: a request declares `functions`, and its answer holds at most one call, without an id, in
 * `function_call`. Hosts still take it, and clients that ask in it look for the answer nowhere else.
 */
export const asksOldForm = ({ tools, functions }: JsonObject): boolean => isFilled(functions) && !isFilled(tools)

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

/** The member of a message that bears its call. What else the model called it calls again once it has this one's result. */
export function encodeOldCall([call]: readonly ToolCallBlock[]): JsonObject {
  const { function: said } = call ? encodeCall(call) : {}
  return isObject(said) ? { function_call: said } : {}
}

/** The finish reason in the words of that form. */
export const oldStop = (word: string): string => (word === 'tool_calls' ? 'function_call' : word)
