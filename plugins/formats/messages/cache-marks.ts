import { type BodyEdit, isObject, type JsonObject, type JsonPath } from 'deflector'
import { listOf } from '../placed-texts.ts'

const MARK = { type: 'ephemeral' }
const MARK_TEXT = `"cache_control":${JSON.stringify(MARK)}`
/** Blocks that take a mark. */
const TYPES: readonly unknown[] = ['text', 'tool_result', 'tool_use', 'image', 'document']

/**
 * Marks at the end of the tools, of the system text, and of the last two turns of the user: four, as many as the vendor
 * takes. A request without tools and without an answer in it may be the only one, and to write a cache costs more.
 */
export function cacheMarks(body: JsonObject): readonly BodyEdit[] {
  const tools = listOf(body.tools)
  const messages = listOf(body.messages)
  const goesOn = tools.length > 0 || messages.some(message => isObject(message) && message.role === 'assistant')
  if (!goesOn || isMarked(body)) return []
  const turns = [...messages.keys()].filter(at => roleAt(messages, at) === 'user').slice(-2)
  return [
    ...toolMark(tools),
    ...contentMark(['system'], body.system),
    ...turns.flatMap(at => contentMark(['messages', at, 'content'], contentAt(messages, at))),
  ]
}

const roleAt = (messages: readonly unknown[], at: number): unknown => objectAt(messages, at).role
const contentAt = (messages: readonly unknown[], at: number): unknown => objectAt(messages, at).content

function objectAt(list: readonly unknown[], at: number): JsonObject {
  const found = list[at]
  return isObject(found) ? found : {}
}

/** Does the client mark anything itself? */
function isMarked(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMarked)
  if (!isObject(value)) return false
  if (value.cache_control !== undefined && value.cache_control !== null) return true
  return ['tools', 'system', 'messages', 'content'].some(name => isMarked(value[name]))
}

/** A tool that the model is told of later takes no mark. */
function toolMark(tools: readonly unknown[]): readonly BodyEdit[] {
  const at = tools.length - 1
  const tool = objectAt(tools, at)
  return typeof tool.name === 'string' && tool.defer_loading !== true ? [joining(['tools', at], tool, 'name')] : []
}

function contentMark(path: JsonPath, content: unknown): readonly BodyEdit[] {
  if (typeof content === 'string' && content.trim() !== '')
    return [{ path, value: [{ type: 'text', text: content, cache_control: MARK }] }]
  const blocks = listOf(content)
  const at = blocks.length - 1
  const block = objectAt(blocks, at)
  const isEmpty = typeof block.text === 'string' && block.text.trim() === ''
  return TYPES.includes(block.type) && !isEmpty ? [joining([...path, at], block, 'type')] : []
}

/** The mark as a new member, behind one whose text is known: all other bytes of the block stay. */
const joining = (path: JsonPath, block: JsonObject, member: string): BodyEdit =>
  Object.hasOwn(block, 'cache_control')
    ? { path: [...path, 'cache_control'], value: MARK }
    : {
        path: [...path, member],
        text: `${JSON.stringify(block[member])},${MARK_TEXT}`,
        place: [...path, 'cache_control'],
        value: MARK,
      }
