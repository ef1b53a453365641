import { isObject, type JsonObject } from 'deflector'
import { exactJson } from 'deflector/formats/exact-json'
import { withoutBorrowed } from './borrowed.ts'
import { hasBareCall, patchedHistory } from './history.ts'
import { quirksOf } from './model-quirks.ts'
import { basicPatches, type Patches, type Target } from './patches.ts'
import type { Quirks } from './quirks-schema.ts'
import { thinkingPatches, withoutThinking } from './thinking.ts'
import { patchedTools } from './tool-schemas.ts'
import { asksFor, isNeedlessChoice, refuseFormat, refuseIfVisible } from './unsayable.ts'

const NEEDS_TOOLS = ['tools', 'tool_choice', 'parallel_tool_calls']

/**
 * All that is changed in a chat-completions body on its way to this vendor. Empty: the bytes go out as they came.
 * `judged` is the model whose rules count, where the vendor knows it under another name. Throws `unsayable` where what
 * has to be left out would change the answer.
 */
export function patchesFor(body: JsonObject, target: Target, quirks: Quirks, judged = target.model): Patches {
  const own = withoutBorrowed(body)
  if (!own) return patchesByRule(body, target, quirks, judged)
  const rewritten = Object.entries(own).map(([field, value]) => [field, { value }] as const)
  return { ...Object.fromEntries(rewritten), ...patchesByRule({ ...body, ...own }, target, quirks, judged) }
}

function patchesByRule(body: JsonObject, target: Target, all: Quirks, judged: string | undefined): Patches {
  const quirks = quirksOf(all, judged ?? (typeof body.model === 'string' ? body.model : ''))
  const stream = target.stream || quirks.stream_only === true
  const patches = basicPatches(body, { ...target, stream })
  Object.assign(patches, streamOptions(body, stream, quirks.stream_usage ?? 'opt_in'))

  renameCap(body, patches, quirks.max_tokens_param)
  for (const [from, to] of Object.entries(quirks.rename_params ?? {})) rename(body, patches, from, to)
  for (const field of quirks.drop_params ?? []) drop(body, patches, field, target)
  if (body.reasoning_effort !== 'none')
    for (const field of quirks.drop_when_reasoning ?? []) drop(body, patches, field, target)
  refuseFormat(body.response_format, quirks)
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0
  Object.assign(patches, toolPatches(body, hasTools, quirks))
  if (!('reasoning_effort' in patches)) {
    const without = hasTools && quirks.tools_need_effort_none === true
    const { efforts, thinking_switch: by, always_thinks: always = false } = quirks
    Object.assign(patches, thinkingPatches(body, { without, efforts, by, always }))
  }
  if (quirks.require_parameters === true) requireParameters(body, patches, hasTools)
  if (quirks.temperature && typeof body.temperature === 'number' && !('temperature' in patches)) {
    const [low, high] = quirks.temperature
    const moved = Math.min(high, Math.max(low, body.temperature))
    if (moved !== body.temperature) patches.temperature = JSON.stringify(moved)
  }
  const messages = patchedHistory(body.messages, quirks)
  if (messages) patches.messages = { value: messages }
  if (quirks.calls_need_reasoning === true && hasBareCall(messages ?? body.messages))
    Object.assign(patches, withoutThinking(body, quirks.thinking_switch, target.note))
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

function toolPatches(body: JsonObject, hasTools: boolean, quirks: Quirks): Patches {
  const patches: Patches = {}
  if (!hasTools) {
    if (quirks.drop_empty_tools === true) for (const field of NEEDS_TOOLS) drop(body, patches, field)
    return patches
  }
  const choice = body.tool_choice
  // A model that was shown no tool calls none.
  const silenced = choice === 'none' && quirks.tool_choices?.includes('none') === false
  if (silenced) for (const field of NEEDS_TOOLS) patches[field] = undefined
  else if (isNeedlessChoice(choice, quirks)) patches.tool_choice = undefined
  else if (choice === 'required' && quirks.tool_choice_required !== undefined)
    patches.tool_choice = JSON.stringify(quirks.tool_choice_required)
  const tools = quirks.plain_tool_schemas === true && !silenced ? patchedTools(body.tools) : undefined
  if (tools) patches.tools = { value: tools }
  return patches
}

/** Without it such a vendor leaves out what the chosen host does not know, and nobody learns of it. */
function requireParameters(body: JsonObject, patches: Patches, hasTools: boolean): void {
  const { provider: given, response_format: format } = body
  const provider = isObject(given) ? given : {}
  if (!hasTools && !(isObject(format) && format.type === 'json_schema')) return
  if (!('require_parameters' in provider)) patches.provider = JSON.stringify({ ...provider, require_parameters: true })
}

function renameCap(body: JsonObject, patches: Patches, to: Quirks['max_tokens_param']): void {
  if (to !== undefined) rename(body, patches, to === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens', to)
}

function rename(body: JsonObject, patches: Patches, from: string, to: string): void {
  const value = body[from]
  if (!(from in body)) return
  patches[from] = undefined
  if (value !== null && (body[to] === undefined || body[to] === null)) patches[to] = exactJson(value)
}

function drop(body: JsonObject, patches: Patches, field: string, { note }: Pick<Target, 'note'> = {}): void {
  if (field in body) refuseIfVisible(body, field)
  if (note && asksFor(body, field)) note(field)
  if (field in body || field in patches) patches[field] = undefined
}
