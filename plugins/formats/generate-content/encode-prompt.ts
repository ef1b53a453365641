import { type Chat, type EncodeTarget, type JsonObject, type Steps, stepped, type Turn } from 'deflector'
import { badRequest } from '../body.ts'
import { describedSchema } from '../described-schema.ts'
import { asFunctions } from '../freeform.ts'
import { noteOmitted } from '../omitted.ts'
import { orderedTurns } from '../ordered-turns.ts'
import { tierWord } from '../tier-words.ts'
import { says, writeModelParts, writeUserParts } from './encode-parts.ts'
import { type ModelRules, modelRules } from './model-rules.ts'
import { writeReasoning } from './reasoning.ts'
import { toSubset } from './schema.ts'
import { TIERS } from './tiers.ts'
import { writeTools } from './tools.ts'

/** Stop strings that the vendor takes. */
const STOPS = 5

const NO_FIELD = [
  'parallel_tool_calls',
  'user',
  'verbosity',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'prompt_cache_breakpoint',
  'cache_control',
  'metadata',
  'store',
] as const

/**
 * A body that the vendor accepts for this model; the model itself and the stream stand in the path. What cannot be said
 * (spoken answers, a file of another vendor) is `bad_request`; what is only left out is noted.
 */
export const encodePrompt = stepped(function* (given: Chat, target: EncodeTarget): Steps<JsonObject> {
  const chat = asFunctions(given)
  const rules = modelRules(target.model)
  const system = chat.system.filter(text => text.trim() !== '').map(text => ({ text }))
  const contents = yield* writeContents(chat.turns, rules)
  const generationConfig = writeConfig(chat, rules)
  const serviceTier = tierWord(chat.serving, TIERS)
  noteOmitted(
    chat,
    [
      ...NO_FIELD,
      serviceTier === undefined && 'service_tier',
      generationConfig.thinkingConfig === undefined && 'reasoning_effort',
      !rules.partResolution && 'image.detail',
    ],
    target,
  )
  return {
    contents: rules.noSystem ? withHead(contents, system) : contents,
    ...(system.length > 0 && !rules.noSystem && { systemInstruction: { parts: system } }),
    ...writeTools(chat, rules),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(serviceTier !== undefined && { serviceTier }),
  }
})

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonObject[]
}

function* writeContents(turns: readonly Turn[], rules: ModelRules): Steps<Content[]> {
  const ordered = yield* orderedTurns(turns, says)
  const names = new Map<string, string>()
  for (const { blocks } of ordered)
    for (const block of blocks) if (block.type === 'tool_call') names.set(block.id, block.name)
  const contents: Content[] = []
  for (const { role, blocks } of ordered) {
    yield
    if (role === 'assistant') contents.push({ role: 'model', parts: writeModelParts(blocks, rules) })
    else contents.push({ role: 'user', parts: writeUserParts(blocks, names, rules) })
  }
  return contents
}

const withHead = ([first, ...rest]: readonly Content[], head: readonly JsonObject[]): Content[] =>
  first ? [{ ...first, parts: [...head, ...first.parts] }, ...rest] : []

function writeConfig(chat: Chat, rules: ModelRules): JsonObject {
  const { sampling, maxOutput } = chat
  const { temperature, topP, topK, seed, stop = [], frequencyPenalty, presencePenalty } = sampling
  const stops = stop.filter(text => text !== '')
  if (stops.length > STOPS) throw badRequest('stop', `this vendor takes at most ${STOPS} stop strings`)
  const thinkingConfig = writeReasoning(chat, rules)
  return {
    ...(temperature !== undefined && { temperature: Math.min(2, Math.max(0, temperature)) }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stops.length > 0 && { stopSequences: stops }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
    ...(thinkingConfig && { thinkingConfig }),
    ...writeFormat(chat, rules),
    ...writeWanted(chat),
  }
}

function writeFormat({ responseFormat, tools, toolChoice }: Chat, rules: ModelRules): JsonObject {
  if (!responseFormat) return {}
  if (tools.length > 0 && toolChoice?.mode !== 'none' && !rules.toolsWithSchema)
    throw badRequest('response_format', 'this model cannot be held to JSON while it has tools')
  const responseMimeType = 'application/json'
  if (responseFormat.type === 'json') return { responseMimeType }
  const schema = describedSchema(responseFormat)
  return {
    responseMimeType,
    ...(rules.jsonSchema ? { responseJsonSchema: schema } : { responseSchema: toSubset(schema) }),
  }
}

function writeWanted({ wanted }: Chat): JsonObject {
  if (!wanted) return {}
  const { choices, logprobs, audio } = wanted
  // It could be asked for both, but a client of another format could not be told.
  if (choices !== undefined) throw badRequest('n', 'a client of another format can be given one choice only')
  if (audio) throw badRequest('audio', 'a client of another format cannot be given spoken answers')
  return {
    ...(logprobs && {
      responseLogprobs: true,
      ...(logprobs.top !== undefined && logprobs.top > 0 && { logprobs: logprobs.top }),
    }),
  }
}
