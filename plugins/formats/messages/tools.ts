import type { Chat, JsonObject, Tool, ToolChoice } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { asFunction } from '../freeform.ts'
import { isForeignSearch, WEB_SEARCH } from '../web-search.ts'
import type { ModelRules } from './model-rules.ts'
import { OpenObject, outputSchema } from './schema.ts'
import { readSearchTool, writeSearchTool } from './search-tool.ts'

const list = z.array(z.unknown())
const tool = z.looseObject({
  type: optional(z.string()),
  name: optional(z.string()),
  description: optional(z.string()),
  input_schema: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
})
const choice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: optional(z.string()),
  disable_parallel_tool_use: optional(z.boolean()),
})

/** Tools of the vendor's own (`web_search_20250305`) are kept as they are: a translation can say a search, and refuses the others. */
export function readTools(value: unknown): Tool[] {
  return checked(list, value, 'tools').map((item, i) => {
    const field = `tools[${i}]`
    const { type, name, description, input_schema, strict } = checked(tool, item, field)
    if (type !== undefined && type !== 'custom') {
      const value = item as JsonObject
      const search = readSearchTool(value, field)
      return { name: name ?? type, hosted: { format: 'messages', value, field, ...(search && { search }) } }
    }
    if (name === undefined) throw badRequest(`${field}.name`, 'is missing')
    return {
      name,
      ...(description !== undefined && { description }),
      ...(input_schema && { parameters: input_schema }),
      ...(strict !== undefined && { strict }),
    }
  })
}

/** `tool_choice` with its switch for parallel calls. */
export function readToolChoice(value: unknown): ToolChoice {
  const { type, name, disable_parallel_tool_use: serial } = checked(choice, value, 'tool_choice')
  const parallel = serial === undefined ? {} : { parallel: !serial }
  if (type !== 'tool') return { mode: type, ...parallel }
  if (name === undefined) throw badRequest('tool_choice.name', 'is missing')
  return { mode: 'named', names: [name], ...parallel }
}

/** Must the model call something? */
export const forcesTool = ({ tools, toolChoice }: Pick<Chat, 'tools' | 'toolChoice'>): boolean =>
  tools.length > 0 && (toolChoice?.mode === 'any' || toolChoice?.mode === 'named')

/** `tools` and `tool_choice`; neither when there is no tool. `mayForce` is false where the model cannot be forced. */
export function writeTools(chat: Chat, rules: ModelRules, mayForce: boolean): JsonObject {
  const { mode, names } = chat.toolChoice ?? {}
  // This format can name one tool; a choice among several is a shorter list.
  const isSubset = names !== undefined && !(mode === 'named' && names.length === 1)
  const tools = isSubset ? chat.tools.filter(({ name }) => names.includes(name)) : chat.tools
  if (tools.length === 0) return {}
  const tool_choice = writeChoice(withWrittenNames(chat.toolChoice, tools), mayForce)
  return {
    tools: tools.map(one => (one.hosted ? writeHosted(one, tools) : writeTool(asFunction(one), rules))),
    ...(tool_choice && { tool_choice }),
  }
}

const writeHosted = (tool: Tool, tools: readonly Tool[]): JsonObject =>
  tool.hosted?.format === 'messages' ? tool.hosted.value : writeSearchTool(tool, tools)

/** Other dialects have other names for the search. */
function withWrittenNames(choice: ToolChoice | undefined, tools: readonly Tool[]): ToolChoice | undefined {
  const search = tools.find(tool => isForeignSearch(tool, 'messages'))
  if (!search || !choice?.names) return choice
  return { ...choice, names: choice.names.map(name => (name === search.name ? WEB_SEARCH : name)) }
}

function writeTool(tool: Tool, rules: ModelRules): JsonObject {
  const { name, description, parameters } = tool
  const enforced = strictSchema(tool, rules)
  return {
    name,
    ...(description && { description }),
    input_schema: enforced ?? { type: 'object', ...(parameters ?? { properties: {} }) },
    ...(enforced && { strict: true }),
  }
}

/** Is there a tool whose arguments nothing holds to its schema, though the client asked for it? */
export const losesStrict = (tools: readonly Tool[], rules: ModelRules): boolean =>
  tools.some(tool => tool.strict === true && !strictSchema(tool, rules))

/** The schema of a strict tool, as far as the vendor's grammar goes. */
function strictSchema({ strict, parameters }: Tool, { structured }: ModelRules): JsonObject | undefined {
  if (strict !== true || !structured) return undefined
  try {
    return outputSchema({ type: 'object', ...(parameters ?? { properties: {}, additionalProperties: false }) })
  } catch (error) {
    if (error instanceof OpenObject) return undefined
    throw error
  }
}

function writeChoice(choice: ToolChoice | undefined, mayForce: boolean): JsonObject | undefined {
  if (!choice) return undefined
  if (choice.mode === 'none') return { type: 'none' }
  const serial = choice.parallel === false ? { disable_parallel_tool_use: true } : {}
  const [only, ...others] = choice.names ?? []
  if (!mayForce || choice.mode === 'auto') return { type: 'auto', ...serial }
  if (choice.mode === 'named' && only !== undefined && others.length === 0)
    return { type: 'tool', name: only, ...serial }
  return { type: 'any', ...serial }
}
