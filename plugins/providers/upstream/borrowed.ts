import { isObject, type JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'

/** Parts of a message that belong to other dialects; some editors put them into bodies of chat completions. */
const FOREIGN_PARTS = new Set(['tool_use', 'tool_result', 'input_text', 'output_text', 'input_image'])

/**
 * The fields of a chat-completions body that hold tools, choices or parts of other dialects, as vendors of this one take
 * them. `undefined` where there are none, as in most bodies, and where they cannot be read: the vendor says so then.
 */
export function withoutBorrowed({ messages, tools, tool_choice }: JsonObject): JsonObject | undefined {
  const fields = [
    ...(Array.isArray(messages) && messages.some(hasForeignPart) ? ['messages'] : []),
    ...(Array.isArray(tools) && tools.some(isForeignTool) ? ['tools'] : []),
    ...(isForeignChoice(tool_choice) ? ['tool_choice'] : []),
  ]
  if (fields.length === 0) return undefined
  try {
    const chat = chatCompletions.decodePrompt({ messages, tools, tool_choice })
    const written = chatCompletions.encodePrompt(chat, { model: '', stream: false })
    return Object.fromEntries(fields.flatMap(field => (field in written ? [[field, written[field]]] : [])))
  } catch {
    return undefined
  }
}

const hasForeignPart = (message: unknown): boolean =>
  isObject(message) &&
  Array.isArray(message.content) &&
  message.content.some(part => isObject(part) && typeof part.type === 'string' && FOREIGN_PARTS.has(part.type))

/** A tool whose name stands at its top, as in the responses and messages formats. */
const isForeignTool = (tool: unknown): boolean =>
  isObject(tool) &&
  typeof tool.name === 'string' &&
  !isObject(tool.function) &&
  (tool.type === undefined || tool.type === null || tool.type === 'function' || isObject(tool.input_schema))

const isForeignChoice = (choice: unknown): boolean =>
  isObject(choice) &&
  (choice.type === 'any' ||
    choice.type === 'tool' ||
    choice.type === 'auto' ||
    (choice.type === 'function' && typeof choice.name === 'string' && !isObject(choice.function)))
