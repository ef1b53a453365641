import {
  type Chat,
  type EncodeTarget,
  type JsonObject,
  type ResponseFormat,
  type Serving,
  type Steps,
  stepped,
  type Turn,
} from 'deflector'
import { badRequest } from '../body.ts'
import { isBreakpoint, marksIn, withBreakpoint } from '../cache-mark.ts'
import { cannotReason, isOffAnyway } from '../effort-words.ts'
import { noteOmitted } from '../omitted.ts'
import { ONLY_JSON, saysJson } from '../only-json.ts'
import { pseudonym } from '../pseudonym.ts'
import { encodeServing, servingWithoutMarks } from '../serving.ts'
import { losesStrict, strictOf } from '../strict-schema.ts'
import { encodeItems } from './encode-items.ts'
import { textPart } from './parts.ts'
import { encodeEffort } from './reasoning.ts'
import { encodeTools } from './tools.ts'

/** The least that a vendor takes as a cap. */
const LEAST_OUTPUT = 16

/** `store`: nothing is kept for clients of other dialects. */
const NO_FIELD = ['top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'store', 'cache_control'] as const

/**
 * A body that a vendor of this format takes. Nothing is stored there: a client of another dialect could not refer to it.
 * What this format has no field for (seed, penalties) is left out and noted; what would change the answer is `bad_request`.
 */
export const encodePrompt = stepped(function* (chat: Chat, target: EncodeTarget): Steps<JsonObject> {
  const { model, stream } = target
  const { sampling, wanted } = chat
  refuseUnsayable(chat)
  const { instructions, head } = encodeSystem(chat)
  const reasoning = encodeEffort(chat.reasoning, model)
  const include = [
    // Models that do not reason refuse to be asked for it.
    ...(reasoning && reasoning.effort !== 'none' ? ['reasoning.encrypted_content'] : []),
    ...(wanted?.logprobs ? ['message.output_text.logprobs'] : []),
  ]
  const { serving = {}, losesMarks } = markedServing(chat)
  const verbosity = cannotReason(model) ? undefined : serving.verbosity
  noteOmitted(
    chat,
    [
      ...NO_FIELD,
      reasoning === undefined && !isOffAnyway(chat.reasoning, model) && 'reasoning_effort',
      verbosity === undefined && 'verbosity',
      losesMarks && 'prompt_cache_breakpoint',
      serving.cacheOptions === undefined && 'prompt_cache_options',
      ...losesStrict(chat),
    ],
    target,
  )
  const text = {
    ...(chat.responseFormat && { format: encodeFormat(chat.responseFormat) }),
    ...(verbosity !== undefined && { verbosity }),
  }
  return {
    model,
    ...(instructions !== '' && { instructions }),
    input: [...head, ...onlyJson(chat, head), ...(yield* encodeItems(readable(chat.turns, model)))],
    ...encodeTools(chat),
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(chat.maxOutput !== undefined && { max_output_tokens: Math.max(LEAST_OUTPUT, chat.maxOutput) }),
    ...(wanted?.logprobs?.top !== undefined && { top_logprobs: wanted.logprobs.top }),
    ...(reasoning && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(include.length > 0 && { include }),
    ...encodeServing(serving),
    ...(chat.user !== undefined && { safety_identifier: pseudonym(chat.user) }),
    store: false,
    ...(stream && { stream }),
  }
})

/** The vendor looks for the word in the input, and not in `instructions`: https://github.com/miracodeai/mira/pull/267 */
function onlyJson(chat: Chat, head: readonly JsonObject[]): readonly JsonObject[] {
  if (chat.responseFormat?.type !== 'json' || saysJson(chat, head.length > 0 ? chat.system : [])) return []
  return [{ type: 'message', role: 'developer', content: [textPart(ONLY_JSON)] }]
}

/** A model that does not reason refuses what others have reasoned. */
const readable = (turns: readonly Turn[], model: string): readonly Turn[] =>
  cannotReason(model)
    ? turns.map(turn => ({ ...turn, blocks: turn.blocks.filter(({ type }) => type !== 'reasoning') }))
    : turns

/** Where the client marks what is to be cached, the texts are parts of a message: `instructions` have no place for a mark. */
function encodeSystem({ system, systemMarks = [] }: Chat): { instructions: string; head: readonly JsonObject[] } {
  const isMarked = systemMarks.some(mark => mark?.breakpoint)
  if (!isMarked) return { instructions: system.filter(text => text !== '').join('\n\n'), head: [] }
  const content = system.flatMap((text, at) => (text === '' ? [] : withBreakpoint([textPart(text)], systemMarks[at])))
  return { instructions: '', head: [{ type: 'message', role: 'developer', content }] }
}

/** A model's own words cannot be marked here. Where none but such marks are asked for, the vendor caches as it likes. */
function markedServing(chat: Chat): { readonly serving: Serving | undefined; readonly losesMarks: boolean } {
  const isMarked = (some: Pick<Chat, 'systemMarks' | 'turns'>): boolean => marksIn(some).some(isBreakpoint)
  const losesMarks = isMarked({ turns: chat.turns.filter(({ role }) => role === 'assistant') })
  const keepsSome = isMarked({ ...chat, turns: chat.turns.filter(({ role }) => role !== 'assistant') })
  return { serving: losesMarks && !keepsSome ? servingWithoutMarks(chat) : chat.serving, losesMarks }
}

function refuseUnsayable({ sampling, wanted }: Chat): void {
  const refuse = (field: string, what: string): never => {
    throw badRequest(field, `${what} cannot be asked for in the responses format`)
  }
  if (wanted?.choices !== undefined) refuse('n', 'several choices')
  if (wanted?.audio) refuse('audio', 'spoken answers')
  if (sampling.stop && sampling.stop.length > 0) refuse('stop', 'a text to stop at')
}

function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  const said = description === undefined ? {} : { description }
  return { type: 'json_schema', name: name ?? 'answer', ...said, schema, strict: strictOf(strict, schema) ?? false }
}
