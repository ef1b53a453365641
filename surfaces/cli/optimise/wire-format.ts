import { type ChatFormat, isObject, type JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import { CommandError } from '../failure.ts'

const FORMATS = [native, chatCompletions, messages, responses, generateContent]

/** The format of a request: the one that is named, else the one whose fields it has. Throws `CommandError`. */
export function formatOf(body: JsonObject, named: string | undefined): ChatFormat {
  const format = named === undefined ? told(body) : FORMATS.find(({ name }) => name === named)
  if (format) return format
  throw new CommandError(
    'the request has none of the fields "prompt", "messages", "input", "instructions" and "contents"',
    `name its format with --format: ${FORMATS.map(({ name }) => name).join(', ')}`,
  )
}

function told(body: JsonObject): ChatFormat | undefined {
  if (Array.isArray(body.messages)) return isMessages(body, body.messages) ? messages : chatCompletions
  if (typeof body.prompt === 'string') return native
  if (body.contents !== undefined) return generateContent
  return body.input !== undefined || body.instructions !== undefined ? responses : undefined
}

/** Two formats have messages. What one of them alone has tells them apart. */
const isMessages = ({ system, tools }: JsonObject, said: readonly unknown[]): boolean =>
  system !== undefined ||
  (Array.isArray(tools) && tools.some(tool => isObject(tool) && tool.input_schema !== undefined)) ||
  said.some(
    message =>
      isObject(message) &&
      Array.isArray(message.content) &&
      message.content.some(block => isObject(block) && (block.type === 'tool_use' || block.type === 'tool_result')),
  )
