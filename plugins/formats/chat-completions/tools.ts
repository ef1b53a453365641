import { type Chat, isObject, type JsonObject, type Tool, type ToolChoice } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { strictOf } from '../strict-schema.ts'
import { cannotRun } from '../web-search.ts'
import { asksOldForm } from './old-form.ts'
import { decodeSearch, encodeSearch, isSearch } from './search-tool.ts'

const FORMAT = 'chat-completions'

const schemaObject = z.record(z.string(), z.unknown())
const list = z.compile(optional(z.array(z.unknown(), 'must be an array')))
const flag = z.compile(optional(z.boolean('must be a boolean')))
const named = z.object({ name: z.string() })
const definition = z.object({
  name: z.string(),
  description: optional(z.string()),
  parameters: optional(schemaObject),
  input_schema: optional(schemaObject),
  strict: optional(z.boolean()),
})
const freeform = z.object({
  name: z.string(),
  description: optional(z.string()),
  format: optional(z.looseObject({ type: z.string(), grammar: optional(schemaObject) })),
})

/** Tools of a body: `tools` in any of the dialects that clients put there, else the old `functions`; and its search. */
export const decodeTools = (body: JsonObject): Tool[] => [...declaredTools(body), ...decodeSearch(body)]

function declaredTools({ tools, functions }: JsonObject): Tool[] {
  const given = checked(list, tools, 'tools') ?? []
  if (given.length > 0) return given.map((tool, index) => decodeTool(tool, `tools[${index}]`))
  const old = checked(list, functions, 'functions') ?? []
  return old.map((tool, index) => functionTool(tool, `functions[${index}]`))
}

function decodeTool(tool: unknown, at: string): Tool {
  if (!isObject(tool)) throw badRequest(at, 'must be an object')
  const { type } = tool
  if (isObject(tool.function)) return functionTool(tool.function, `${at}.function`)
  if (type === 'custom' && isObject(tool.custom)) return freeformTool(tool.custom, `${at}.custom`)
  const named = typeof tool.name === 'string'
  // Some clients send tools of the responses format (flat) or of the messages format (`input_schema`).
  if (named && (type === undefined || type === null || type === 'function' || isObject(tool.input_schema)))
    return functionTool(tool, at)
  if (named && type === 'custom') return freeformTool(tool, at)
  if (typeof type !== 'string') throw badRequest(`${at}.type`, 'must be a string')
  if (type === 'function') throw badRequest(`${at}.function`, 'must be an object')
  return { name: typeof tool.name === 'string' ? tool.name : type, hosted: { format: FORMAT, value: tool } }
}

function functionTool(tool: unknown, at: string): Tool {
  const { name, description, parameters, input_schema, strict } = checked(definition, tool, at)
  const schema = parameters ?? input_schema
  return {
    name,
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { parameters: schema }),
    ...(strict !== undefined && { strict }),
  }
}

function freeformTool(tool: unknown, at: string): Tool {
  const { name, description, format } = checked(freeform, tool, at)
  const { type, grammar, ...flat } = format ?? {}
  return {
    name,
    kind: 'custom',
    ...(description !== undefined && { description }),
    ...(type === 'grammar' && { grammar: grammar ?? flat }),
  }
}

const MODES: Readonly<Record<string, ToolChoice['mode']>> = { auto: 'auto', none: 'none', required: 'any', any: 'any' }

/** `tool_choice`, else the old `function_call`, with `parallel_tool_calls`; `undefined` when the client said nothing. */
export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const asked = body.tool_choice ?? undefined
  const choice = asked === undefined ? oldChoice(body.function_call) : readChoice(asked)
  // An answer in the old form has a place for one call.
  const parallel = asksOldForm(body) ? false : checked(flag, body.parallel_tool_calls, 'parallel_tool_calls')
  if (parallel === undefined) return choice
  return { mode: 'auto', ...choice, parallel }
}

function oldChoice(asked: unknown): ToolChoice | undefined {
  if (asked === undefined || asked === null) return undefined
  const mode = typeof asked === 'string' ? MODES[asked] : undefined
  if (mode) return { mode }
  return { mode: 'named', names: [checked(named, asked, 'function_call').name] }
}

function readChoice(asked: unknown): ToolChoice {
  const at = 'tool_choice'
  if (typeof asked === 'string') {
    const mode = MODES[asked]
    if (mode) return { mode }
    throw badRequest(at, 'must be none, auto, required or an object')
  }
  if (!isObject(asked)) throw badRequest(at, 'must be a string or an object')
  if (asked.type === 'allowed_tools') return allowedChoice(asked)
  const name = nameOf(asked)
  if (name !== undefined) return { mode: 'named', names: [name] }
  const mode = typeof asked.type === 'string' ? MODES[asked.type] : undefined
  if (!mode) throw badRequest(at, 'names no tool')
  return { mode, ...(asked.disable_parallel_tool_use === true && { parallel: false }) }
}

function allowedChoice(asked: JsonObject): ToolChoice {
  const { mode, tools } = isObject(asked.allowed_tools) ? asked.allowed_tools : asked
  const names = Array.isArray(tools) ? tools.flatMap(tool => (isObject(tool) ? (nameOf(tool) ?? []) : [])) : []
  if (names.length === 0) throw badRequest('tool_choice.allowed_tools.tools', 'names no tool')
  return { mode: mode === 'required' ? 'named' : 'auto', names }
}

/** The name in `{function: {name}}`, `{custom: {name}}` or, flat, `{name}`. */
function nameOf(choice: JsonObject): string | undefined {
  const holder = [choice.function, choice.custom, choice].find(each => isObject(each) && typeof each.name === 'string')
  return isObject(holder) && typeof holder.name === 'string' ? holder.name : undefined
}

/**
 * `tools`, `tool_choice` and `parallel_tool_calls` for a vendor, who refuses an empty list and a choice without tools; and
 * the field for a search, which is no tool here.
 */
export function encodeTools({ tools, toolChoice }: Chat): JsonObject {
  const names = toolChoice?.names
  const single = toolChoice?.mode === 'named' && names?.length === 1
  // Few vendors know `allowed_tools`; every vendor knows a shorter list.
  const meant = names && !single ? tools.filter(tool => names.includes(tool.name)) : tools
  const search = encodeSearch(meant, toolChoice?.mode === 'none')
  const offered = meant.filter(tool => !isSearch(tool))
  if (offered.length === 0) return search
  const { mode, parallel } = toolChoice ?? {}
  if (single && tools.some(tool => tool.name === names?.[0] && !offered.includes(tool)))
    throw badRequest('tool_choice', 'this vendor cannot be made to search')
  return {
    ...search,
    tools: offered.map(encodeTool),
    ...(mode && { tool_choice: single ? choiceOf(offered, names?.[0]) : WORDS[mode] }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
}

function choiceOf(tools: readonly Tool[], name: string | undefined): JsonObject {
  const kind = tools.find(tool => tool.name === name)?.kind ?? 'function'
  return { type: kind, [kind]: { name } }
}

const WORDS = { auto: 'auto', none: 'none', any: 'required', named: 'required' } as const

function encodeTool(tool: Tool): JsonObject {
  const { name, description, parameters, kind, grammar, hosted } = tool
  if (hosted?.format === FORMAT) return hosted.value
  if (hosted) throw cannotRun(name)
  if (kind === 'custom') {
    const format = grammar && { format: { type: 'grammar', grammar } }
    return { type: 'custom', custom: { name, ...(description !== undefined && { description }), ...format } }
  }
  const strict = strictOf(tool.strict, parameters)
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      ...(strict !== undefined && { strict }),
    },
  }
}
