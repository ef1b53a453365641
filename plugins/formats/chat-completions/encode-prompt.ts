import {
  type Chat,
  type EncodeTarget,
  type JsonObject,
  type Reasoning,
  type ResponseFormat,
  type Serving,
  type Steps,
  stepped,
} from 'deflector'
import { badRequest } from '../body.ts'
import { effortOf } from '../effort.ts'
import { cannotReason, isOffAnyway, leastEffort } from '../effort-words.ts'
import { noteOmitted, type Omittable } from '../omitted.ts'
import { ONLY_JSON, saysJson } from '../only-json.ts'
import { pseudonym } from '../pseudonym.ts'
import { encodeServing, servingWithoutMarks } from '../serving.ts'
import { losesStrict, strictOf } from '../strict-schema.ts'
import { encodeMessages } from './encode-messages.ts'
import { encodeTools } from './tools.ts'

/**
 * A body that any vendor of this format takes. The output cap has its present name, `max_completion_tokens`; presets
 * of vendors that know only `max_tokens` rename it.
 */
export const encodePrompt = stepped(function* (chat: Chat, target: EncodeTarget): Steps<JsonObject> {
  const { model, stream } = target
  const { sampling, wanted } = chat
  refuseUnsayable(chat)
  const mustSayJson = chat.responseFormat?.type === 'json' && !saysJson(chat, chat.system)
  const system = [...chat.system, ...(mustSayJson ? [ONLY_JSON] : [])].join('\n\n')
  const effort = encodeEffort(chat.reasoning, model)
  const asked = servingWithoutMarks(chat)
  const serving = asked && servedBy(asked, model)
  const isHeard = effort !== undefined || isOffAnyway(chat.reasoning, model)
  noteOmitted(chat, [!isHeard && 'reasoning_effort', ...omitted(serving), ...losesStrict(chat)], target)
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...(yield* encodeMessages(chat.turns))],
    ...encodeTools(chat),
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(sampling.seed !== undefined && { seed: sampling.seed }),
    ...(sampling.stop && sampling.stop.length > 0 && { stop: sampling.stop }),
    ...(sampling.frequencyPenalty !== undefined && { frequency_penalty: sampling.frequencyPenalty }),
    ...(sampling.presencePenalty !== undefined && { presence_penalty: sampling.presencePenalty }),
    ...(chat.maxOutput !== undefined && { max_completion_tokens: chat.maxOutput }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(chat.responseFormat && { response_format: encodeResponseFormat(chat.responseFormat) }),
    ...(wanted?.logprobs && { logprobs: true }),
    ...(wanted?.logprobs?.top !== undefined && { top_logprobs: wanted.logprobs.top }),
    ...serving,
    ...(chat.user !== undefined && { user: pseudonym(chat.user) }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  }
})

/** Only an answer that is kept may have labels here. */
function servedBy(serving: Serving, model: string): JsonObject {
  const { verbosity, kept } = serving
  const { metadata, ...rest } = encodeServing(serving)
  return {
    ...rest,
    ...(verbosity !== undefined && !cannotReason(model) && { verbosity }),
    ...(metadata !== undefined && kept && { metadata, store: true }),
  }
}

const omitted = (serving: JsonObject = {}): (Omittable | false)[] => [
  'top_k',
  'prompt_cache_breakpoint',
  'cache_control',
  serving.verbosity === undefined && 'verbosity',
  serving.prompt_cache_options === undefined && 'prompt_cache_options',
  serving.metadata === undefined && 'metadata',
  serving.store === undefined && 'store',
]

/** Stop strings that a vendor takes; more are refused. */
const STOPS = 4

/** What could be asked for in this format, but not told to a client of another one, is refused, too. */
function refuseUnsayable({ sampling, wanted }: Chat): void {
  if (wanted?.choices !== undefined) throw badRequest('n', 'a client of another format can be given one choice only')
  if (wanted?.audio) throw badRequest('audio', 'a client of another format cannot be given spoken answers')
  if ((sampling.stop?.length ?? 0) > STOPS) throw badRequest('stop', `this vendor takes at most ${STOPS}`)
}

/**
 * An effort left to the model writes nothing, as models that do not reason refuse any. `off` is written to those that are
 * known to have a word for it.
 */
function encodeEffort(reasoning: Reasoning | undefined, model: string): string | undefined {
  if (!reasoning || cannotReason(model)) return undefined
  if (reasoning.mode === 'off') return leastEffort(model)
  if (reasoning.effort !== undefined) return reasoning.effort
  return reasoning.budget === undefined ? undefined : effortOf(reasoning.budget)
}

function encodeResponseFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema } = format
  const strict = strictOf(format.strict, schema)
  const said = description === undefined ? {} : { description }
  return {
    type: 'json_schema',
    json_schema: { name: name ?? 'answer', ...said, schema, ...(strict !== undefined && { strict }) },
  }
}
