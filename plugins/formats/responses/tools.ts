import { type Chat, isObject, type JsonObject, type Tool, type ToolChoice } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { strictOf } from '../strict-schema.ts'
import { WEB_SEARCH } from '../web-search.ts'
import { fullName, shortName } from './names.ts'
import { decodeSearch, encodeLimit, encodeSearch } from './search-tool.ts'

const FORMAT = 'responses'

const list = z.compile(optional(z.array(z.record(z.string(), z.unknown()), 'must be an array of objects')))
const flag = z.compile(optional(z.boolean('must be a boolean')))
const definition = z.compile(
  z.object({
    name: z.string('must be a string'),
    description: optional(z.string()),
    parameters: optional(z.record(z.string(), z.unknown())),
    strict: optional(z.boolean()),
  }),
)
const freeform = z.object({
  name: z.string('must be a string'),
  description: optional(z.string()),
  format: optional(z.record(z.string(), z.unknown())),
})
const group = z.object({ name: z.string('must be a string'), tools: z.array(z.record(z.string(), z.unknown())) })

/** A body's tools; those of a namespace under their full names. `limit` is its `max_tool_calls`. */
export function decodeTools(value: unknown, at = 'tools', limit?: unknown): readonly Tool[] {
  const tools: Tool[] = []
  const decode = (given: readonly JsonObject[], where: string, namespace?: string): void => {
    for (const [index, tool] of given.entries()) {
      const here = `${where}[${index}]`
      const { type } = tool
      if (type === 'function') tools.push(functionTool(tool, here, namespace))
      else if (type === 'custom') tools.push(freeformTool(tool, here, namespace))
      else if (type === 'namespace') {
        const { name, tools: inner } = checked(group, tool, here)
        decode(inner, `${here}.tools`, name)
      } else if (typeof type === 'string') {
        const search = decodeSearch(tool, here, limit)
        tools.push({ name: type, hosted: { format: FORMAT, value: tool, field: here, ...(search && { search }) } })
      } else throw badRequest(`${here}.type`, 'must be a string')
    }
  }
  decode(checked(list, value, at) ?? [], at)
  return tools
}

function functionTool(tool: JsonObject, at: string, namespace: string | undefined): Tool {
  const { name, description, parameters, strict } = checked(definition, tool, at)
  return {
    name: fullName(name, namespace),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
    ...(namespace !== undefined && { namespace }),
  }
}

function freeformTool(tool: JsonObject, at: string, namespace: string | undefined): Tool {
  const { name, description, format } = checked(freeform, tool, at)
  const { type, ...grammar } = format ?? {}
  return {
    name: fullName(name, namespace),
    kind: 'custom',
    ...(description !== undefined && { description }),
    ...(type === 'grammar' && { grammar }),
    ...(namespace !== undefined && { namespace }),
  }
}

const MODES: Readonly<Record<string, ToolChoice['mode']>> = { auto: 'auto', none: 'none', required: 'any' }

/** `tool_choice` with `parallel_tool_calls`; `undefined` when the client said nothing. */
export function decodeToolChoice({
  tool_choice: asked,
  parallel_tool_calls: many,
}: JsonObject): ToolChoice | undefined {
  const parallel = checked(flag, many, 'parallel_tool_calls')
  const choice = asked === undefined || asked === null ? undefined : readChoice(asked)
  return parallel === undefined ? choice : { mode: 'auto', ...choice, parallel }
}

function readChoice(asked: unknown): ToolChoice {
  const at = 'tool_choice'
  if (typeof asked === 'string') {
    const mode = MODES[asked]
    if (mode) return { mode }
    throw badRequest(at, 'must be none, auto, required or an object')
  }
  if (!isObject(asked)) throw badRequest(at, 'must be a string or an object')
  if (asked.type === 'allowed_tools') {
    const names = (Array.isArray(asked.tools) ? asked.tools : []).flatMap(tool => nameOf(tool) ?? [])
    if (names.length === 0) throw badRequest(`${at}.tools`, 'names no tool')
    return { mode: asked.mode === 'required' ? 'named' : 'auto', names }
  }
  const name = nameOf(asked)
  if (name === undefined) throw badRequest(at, 'names no tool')
  return { mode: 'named', names: [name] }
}

/** A hosted tool goes by its type. */
function nameOf(tool: unknown): string | undefined {
  if (!isObject(tool)) return undefined
  const { name, namespace, type } = tool
  if (typeof name === 'string') return fullName(name, typeof namespace === 'string' ? namespace : undefined)
  return typeof type === 'string' ? type : undefined
}

/** `tools`, `tool_choice` and `parallel_tool_calls` for a vendor. */
export function encodeTools({ tools, toolChoice }: Chat): JsonObject {
  if (tools.length === 0) return {}
  const { parallel } = toolChoice ?? {}
  const choice = toolChoice && encodeChoice(toolChoice, tools)
  return {
    tools: tools.map(encodeTool),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    ...encodeLimit(tools),
  }
}

const WORDS = { auto: 'auto', none: 'none', any: 'required', named: 'required' } as const

function encodeChoice({ mode, names }: ToolChoice, tools: readonly Tool[]): unknown {
  if (!names) return WORDS[mode]
  const chosen = tools.filter(tool => names.includes(tool.name)).map(named)
  if (mode === 'named' && chosen.length === 1) return chosen[0]
  return chosen.length === 0 ? WORDS[mode] : { type: 'allowed_tools', mode: WORDS[mode], tools: chosen }
}

const named = ({ name, namespace, kind, hosted }: Tool): JsonObject =>
  hosted
    ? { type: hosted.format === FORMAT ? name : WEB_SEARCH }
    : {
        type: kind ?? 'function',
        name: shortName(name, namespace),
        ...(namespace !== undefined && { namespace }),
      }

function encodeTool(tool: Tool): JsonObject {
  const { name, description, parameters, strict, kind, grammar, hosted } = tool
  if (hosted) return hosted.format === FORMAT ? hosted.value : encodeSearch(tool)
  const about = { name, ...(description !== undefined && { description }) }
  if (kind === 'custom')
    return { type: 'custom', ...about, format: grammar ? { type: 'grammar', ...grammar } : { type: 'text' } }
  // Left out, `strict` would mean true here and nowhere else.
  return { type: 'function', ...about, parameters: parameters ?? null, strict: strictOf(strict, parameters) ?? false }
}
