import { type Block, type Chat, type EncodeTarget, type JsonObject, type Steps, stepped, type Turn } from 'deflector'
import { badRequest } from '../body.ts'
import { controlOf } from '../cache-mark.ts'
import { describedSchema } from '../described-schema.ts'
import { noteOmitted } from '../omitted.ts'
import { ONLY_JSON } from '../only-json.ts'
import { pseudonym } from '../pseudonym.ts'
import { tierWord } from '../tier-words.ts'
import { plain, writeBlocks } from './encode-blocks.ts'
import { withFewMarks } from './few-marks.ts'
import { orderTurns } from './history.ts'
import { type ModelRules, modelRules } from './model-rules.ts'
import { planThinking, type ThinkingPlan } from './reasoning.ts'
import { OpenObject, outputSchema } from './schema.ts'
import { TIERS } from './tiers.ts'
import { loopStart } from './tool-loop.ts'
import { forcesTool, losesStrict, writeTools } from './tools.ts'

/** Cap of a whole answer when the client names none: what a call without a stream can wait for. */
const WHOLE_CAP = 8192
/** Cap of a streamed answer of a model whose own cap we do not know. */
const STREAM_CAP = 32_000

/**
 * A body that the vendor accepts for this model. What this format has no field for (seed, penalties, an image's
 * detail) is left out and noted; what cannot be said at all (several choices, probabilities, audio, a schema on a model
 * without schemas) is `bad_request`.
 */
export const encodePrompt = stepped(function* (chat: Chat, target: EncodeTarget): Steps<JsonObject> {
  const { model, stream } = target
  const rules = modelRules(model)
  refuseUnsayable(chat)
  const turns = yield* orderTurns(chat.turns)
  const forced = forcesTool(chat)
  const maxTokens = outputCap(chat.maxOutput, rules, stream)
  const plan = planThinking(chat.reasoning, { rules, maxTokens, forced, brokenLoop: isBrokenLoop(turns) })
  const system = chat.responseFormat?.type === 'json' ? [...chat.system, ONLY_JSON] : chat.system
  const tier = tierWord(chat.serving, TIERS)
  const said = withoutPrefill(turns, rules.rejectsPrefill || plan.thinks)
  const sampling = writeSampling(chat.sampling, rules, plan.thinks)
  const outputConfig = {
    ...(plan.effort !== undefined && { effort: plan.effort }),
    ...(chat.responseFormat?.type === 'schema' && {
      format: schemaFormat(describedSchema(chat.responseFormat), rules, model),
    }),
  }
  noteOmitted(
    chat,
    [
      ...NO_FIELD,
      ...SAMPLING.map(field => sampling[field] === undefined && field),
      tier === undefined && 'service_tier',
      isUnheard(chat.reasoning, plan) && 'reasoning_effort',
      forced && plan.thinks && 'tool_choice',
      said.length < turns.length && 'messages[-1]',
      losesStrict(chat.tools, rules) && 'tools.strict',
    ],
    target,
  )
  return {
    model,
    max_tokens: plan.maxTokens,
    ...withFewMarks(writeSystem(system, chat.systemMarks), yield* writeTurns(said)),
    ...writeTools(chat, rules, !(forced && plan.thinks)),
    ...sampling,
    ...(plan.thinking && { thinking: plan.thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(tier !== undefined && { service_tier: tier }),
    ...(chat.user !== undefined && { metadata: { user_id: pseudonym(chat.user) } }),
    ...(stream && { stream }),
  }
})

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const
const NO_FIELD = [
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'verbosity',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'metadata',
  'store',
  'image.detail',
] as const

/** Is nothing of what the client asked about thinking in the plan? A model that does not think was told not to. */
function isUnheard(reasoning: Chat['reasoning'], { thinks, thinking, effort }: ThinkingPlan): boolean {
  return reasoning?.mode === 'off' ? thinks : thinking === undefined && effort === undefined
}

/** What would show in the answer and has no word here. */
function refuseUnsayable({ sampling, wanted }: Chat): void {
  if (wanted?.choices !== undefined) throw badRequest('n', 'this vendor gives one choice only')
  if (wanted?.logprobs) throw badRequest('logprobs', 'this vendor tells no probabilities')
  if (wanted?.audio) throw badRequest('audio', 'this vendor does not speak')
  if (sampling.stop?.some(text => text !== '' && text.trim() === ''))
    throw badRequest('stop', 'this vendor takes no stop text of white space alone')
}

function outputCap(asked: number | undefined, { maxOutput }: ModelRules, stream: boolean): number {
  const most = maxOutput ?? Number.POSITIVE_INFINITY
  if (asked !== undefined) return Math.max(1, Math.min(asked, most))
  return stream ? (maxOutput ?? STREAM_CAP) : Math.min(WHOLE_CAP, most)
}

function writeSystem(texts: readonly string[], marks: Chat['systemMarks'] = []): JsonObject {
  const blocks = texts.flatMap((text, at) =>
    text.trim() === '' ? [] : [{ type: 'text', text, ...controlOf(marks[at]) }],
  )
  return blocks.length === 0 ? {} : { system: plain(blocks) }
}

function* writeTurns(turns: readonly Turn[]): Steps<JsonObject[]> {
  const messages: JsonObject[] = []
  for (const { role, blocks } of turns) {
    messages.push({ role, content: plain(writeBlocks(blocks)) })
    yield
  }
  return messages
}

/** A trailing assistant turn asks for its continuation. Newer models refuse it; older ones refuse a space at its end. */
function withoutPrefill(turns: readonly Turn[], refused: boolean): readonly Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return turns
  if (refused) return turns.length > 1 ? turns.slice(0, -1) : turns
  const blocks = last.blocks.map((block, i) =>
    block.type === 'text' && i === last.blocks.length - 1 ? { ...block, text: block.text.trimEnd() } : block,
  )
  return [...turns.slice(0, -1), { ...last, blocks }]
}

/** Is there an open tool loop whose beginning has no reasoning that came along? */
function isBrokenLoop(turns: readonly Turn[]): boolean {
  const has = (type: Block['type']) => (turn: Turn) => turn.blocks.some(block => block.type === type)
  const first = loopStart(turns, ({ role }) => role === 'assistant', has('tool_result'))
  return first !== undefined && !has('reasoning')(first)
}

function writeSampling(sampling: Chat['sampling'], rules: ModelRules, thinks: boolean): JsonObject {
  const stops = sampling.stop?.filter(text => text !== '') ?? []
  const stop = stops.length > 0 ? { stop_sequences: stops } : {}
  if (rules.rejectsSampling || (thinks && rules.oneSampling)) return stop
  const { temperature, topP, topK } = sampling
  return {
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(topP !== undefined && !(rules.oneSampling && temperature !== undefined) && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...stop,
  }
}

function schemaFormat(schema: JsonObject, { structured }: ModelRules, model: string): JsonObject {
  if (!structured) throw badRequest('response_format', `${model} cannot be held to a JSON schema`)
  try {
    return { type: 'json_schema', schema: outputSchema(schema) }
  } catch (error) {
    if (!(error instanceof OpenObject)) throw error
    throw badRequest('response_format', `${model} cannot be held to this schema: ${error.message}`)
  }
}
