import { type Chat, isObject, type JsonObject, type Tool, type ToolChoice } from 'deflector'
import { z } from 'zod'
import { badRequest, optional } from '../body.ts'
import { isForeignSearch } from '../web-search.ts'
import { camel, fields, listOf } from './fields.ts'
import type { ModelRules } from './model-rules.ts'
import { OWN } from './proof.ts'
import { fromSubset, toSubset } from './schema.ts'
import { readSearchTool, SEARCH, writeSearchTool } from './search-tool.ts'

const schema = z.record(z.string(), z.unknown())
const declaration = z.looseObject({
  name: z.string(),
  description: optional(z.string()),
  parameters: optional(schema),
  parametersJsonSchema: optional(schema),
})
const config = z.looseObject({ functionCallingConfig: z.unknown().optional() })
const calling = z.looseObject({ mode: optional(z.string()), allowedFunctionNames: optional(z.array(z.string())) })

/** What the vendor takes as the name of a function. It says 128 letters; 64 are safe on all of its hosts. */
export const TOOL_NAMES = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

/** Tools of the vendor's own (`googleSearch`) are kept as they are: a translation can say a search, and refuses the others. */
export function readTools(value: unknown): Tool[] {
  return listOf(value, 'tools').flatMap((entry, i) => {
    const at = `tools[${i}]`
    if (!isObject(entry)) throw badRequest(at, 'must be an object')
    const { functionDeclarations, ...hosted } = camel(entry)
    const functions = listOf(functionDeclarations, `${at}.functionDeclarations`)
    return [
      ...functions.map((one, j) => readFunction(one, `${at}.functionDeclarations[${j}]`)),
      ...Object.entries(hosted)
        .filter(([, tool]) => tool !== undefined && tool !== null)
        .map(([name, tool]): Tool => {
          const search = name === SEARCH && { search: readSearchTool(tool, `${at}.${name}`) }
          return { name, hosted: { format: OWN, value: { [name]: tool }, field: `${at}.${name}`, ...search } }
        }),
    ]
  })
}

function readFunction(value: unknown, at: string): Tool {
  const { name, description, parameters, parametersJsonSchema } = fields(declaration, value, at)
  const given = parametersJsonSchema ?? (parameters && fromSubset(parameters))
  return { name, ...(description !== undefined && { description }), ...(given && { parameters: given }) }
}

/** `toolConfig`; `undefined` when the client said nothing. */
export function readToolChoice(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  const { functionCallingConfig } = fields(config, value, 'toolConfig')
  if (functionCallingConfig === undefined || functionCallingConfig === null) return undefined
  const at = 'toolConfig.functionCallingConfig'
  const { mode = 'AUTO', allowedFunctionNames: names = [] } = fields(calling, functionCallingConfig, at)
  const named = names.length > 0 ? { names } : {}
  switch (mode.toUpperCase()) {
    case 'NONE':
      return { mode: 'none' }
    case 'ANY':
      return names.length > 0 ? { mode: 'named', names } : { mode: 'any' }
    default: // AUTO, VALIDATED, or a mode of tomorrow
      return { mode: 'auto', ...named }
  }
}

/** `tools` and `toolConfig`; neither when there is no tool. The format has no switch for parallel calls. */
export function writeTools({ tools, toolChoice }: Chat, rules: ModelRules): JsonObject {
  const { mode, names } = toolChoice ?? {}
  // Names count only where a call is forced; else the choice is a shorter list.
  const named = names && mode !== 'named' ? tools.filter(({ name }) => names.includes(name)) : tools
  const offered =
    mode === 'auto' || mode === undefined ? named : withoutSearch(named, { mode, ...(names && { names }) })
  if (offered.length === 0) return {}
  const functions = offered.filter(({ hosted }) => !hosted).map(tool => writeFunction(tool, rules))
  const calling = {
    strict: offered.some(tool => tool.strict === true),
    beside: rules.signsCalls && offered.some(({ hosted }) => hosted),
  }
  return {
    tools: [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...offered.flatMap(writeHosted)],
    ...(functions.length > 0 && writeChoice(toolChoice, calling)),
  }
}

/** A search is no call that the vendor could be made to make, or be kept from. */
function withoutSearch(tools: readonly Tool[], { mode, names }: ToolChoice): readonly Tool[] {
  const isWanted = (tool: Tool): boolean => names === undefined || names.includes(tool.name)
  const others = tools.filter(tool => !isForeignSearch(tool, OWN))
  if (mode !== 'none' && others.length < tools.length && !others.some(isWanted))
    throw badRequest('tool_choice', 'this vendor cannot be made to search')
  return mode === 'any' ? tools : others
}

function writeFunction({ name, description, parameters }: Tool, { jsonSchema }: ModelRules): JsonObject {
  return {
    name,
    ...(description && { description }),
    ...(parameters &&
      takesAny(parameters) &&
      (jsonSchema ? { parametersJsonSchema: parameters } : { parameters: toSubset(parameters) })),
  }
}

/** Older models refuse an object without members; no parameters at all says the same. */
const takesAny = ({ properties, $ref, anyOf, allOf, additionalProperties }: JsonObject): boolean =>
  (isObject(properties) && Object.keys(properties).length > 0) ||
  [$ref, anyOf, allOf].some(one => one !== undefined) ||
  isObject(additionalProperties)

function writeHosted(tool: Tool): JsonObject[] {
  if (!tool.hosted) return []
  return [tool.hosted.format === OWN ? tool.hosted.value : writeSearchTool(tool)]
}

interface Calling {
  readonly strict: boolean
  /** Does the vendor run a tool of its own beside the functions? It wants to be told so, and knows no `AUTO` then. */
  readonly beside: boolean
}

function writeChoice(choice: ToolChoice | undefined, { strict, beside }: Calling): JsonObject {
  const { mode = 'auto', names } = choice ?? {}
  if (!choice && !strict && !beside) return {}
  const word = mode === 'auto' ? (strict || beside ? 'VALIDATED' : 'AUTO') : mode === 'none' ? 'NONE' : 'ANY'
  const allowed = mode === 'named' && names ? { allowedFunctionNames: names } : {}
  return {
    toolConfig: {
      functionCallingConfig: { mode: word, ...allowed },
      ...(beside && { includeServerSideToolInvocations: true }),
    },
  }
}
