import { isObject, type JsonObject } from 'deflector'
import { patchedHistory } from './history.ts'
import { basicPatches, type Patches, type Target } from './patches.ts'
import type { differences, Quirks } from './quirks-schema.ts'

const NEEDS_TOOLS = ['tools', 'tool_choice', 'parallel_tool_calls']

const patterns = new Map<string, RegExp>()

/** Rules come from a table or the pipeline file: few, and the same with every call. */
function compiled(match: string): RegExp {
  const known = patterns.get(match) ?? new RegExp(match)
  patterns.set(match, known)
  return known
}

/** All that is changed in a chat-completions body on its way to this vendor. Empty: the bytes go out as they came. */
export function patchesFor(body: JsonObject, target: Target, quirks: Quirks): Patches {
  const model = target.model ?? (typeof body.model === 'string' ? body.model : '')
  const rules = [quirks, ...(quirks.model_rules ?? []).filter(rule => compiled(rule.match).test(model))]
  const last = <K extends keyof typeof differences>(key: K) => rules.findLast(rule => rule[key] !== undefined)?.[key]
  const patches = basicPatches(body, target)
  Object.assign(patches, streamOptions(body, target.stream, quirks.stream_usage ?? 'opt_in'))

  renameCap(body, patches, last('max_tokens_param'))
  for (const [from, to] of Object.entries(quirks.rename_params ?? {})) rename(body, patches, from, to)
  if (quirks.tool_choice_required !== undefined && body.tool_choice === 'required') {
    patches.tool_choice = JSON.stringify(quirks.tool_choice_required)
  }
  for (const field of rules.flatMap(rule => rule.drop_params ?? [])) drop(body, patches, field)
  if (body.reasoning_effort !== 'none')
    for (const field of rules.flatMap(rule => rule.drop_when_reasoning ?? [])) drop(body, patches, field)

  const hasTools = Array.isArray(body.tools) && body.tools.length > 0
  if (quirks.drop_empty_tools === true && !hasTools) for (const field of NEEDS_TOOLS) drop(body, patches, field)
  const effort = body.reasoning_effort
  if (last('tools_need_effort_none') === true && hasTools && typeof effort === 'string' && effort !== 'none') {
    patches.reasoning_effort = '"none"'
  }
  if (quirks.temperature && typeof body.temperature === 'number' && !('temperature' in patches)) {
    const [low, high] = quirks.temperature
    const moved = Math.min(high, Math.max(low, body.temperature))
    if (moved !== body.temperature) patches.temperature = JSON.stringify(moved)
  }
  const messages = patchedHistory(body.messages, quirks, last('developer_role'))
  if (messages) patches.messages = JSON.stringify(messages)
  return patches
}

/** The gateway always needs the usage; the client's other stream options are its own. */
function streamOptions(body: JsonObject, stream: boolean, usage: NonNullable<Quirks['stream_usage']>): Patches {
  const given = body.stream_options
  if (!stream || usage === 'never') return given === undefined ? {} : { stream_options: undefined }
  if (usage === 'always') return {}
  const options = isObject(given) ? given : {}
  return options.include_usage === true ? {} : { stream_options: JSON.stringify({ ...options, include_usage: true }) }
}

function renameCap(body: JsonObject, patches: Patches, to: Quirks['max_tokens_param']): void {
  if (to !== undefined) rename(body, patches, to === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens', to)
}

function rename(body: JsonObject, patches: Patches, from: string, to: string): void {
  const value = body[from]
  if (!(from in body)) return
  patches[from] = undefined
  if (value !== null && (body[to] === undefined || body[to] === null)) patches[to] = JSON.stringify(value)
}

function drop(body: JsonObject, patches: Patches, field: string): void {
  if (field in body || field in patches) patches[field] = undefined
}
