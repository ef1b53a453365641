import {
  type Block,
  type CacheMark,
  type Chat,
  isObject,
  type JsonObject,
  type MediaBlock,
  type Reasoning,
  type ResponseFormat,
  type Steps,
  stepped,
  type Turn,
  type Wanted,
} from 'deflector'
import { z } from 'zod'
import { argsText } from '../args-text.ts'
import { badRequest, checked, optional } from '../body.ts'
import { systemMarks } from '../cache-mark.ts'
import { isShown, withHeadMedia } from '../content.ts'
import { effortSchema } from '../effort.ts'
import { exactMembers } from '../exact-members.ts'
import { decodeServing } from '../serving.ts'
import { hasUnread, isUnread, readFields, vendorHints } from '../vendor-hints.ts'
import { decodeProof } from './call-proof.ts'
import { ARGUMENTS_AND_SCHEMAS } from './exact.ts'
import { decodeContent, decodeResult } from './parts.ts'
import { decodeSentReasoning } from './reasoning.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

const number = optional(z.number('must be a number'))
const text = z.string('must be a string')
const list = z.compile(z.array(z.record(z.string(), z.unknown())))
const callList = z.compile(optional(z.array(z.unknown(), 'must be an array')))
const oldCall = z.object({ name: z.string(), arguments: z.unknown() })
const settings = z.compile(
  z.object({
    temperature: number,
    top_p: number,
    top_k: number,
    seed: number,
    frequency_penalty: number,
    presence_penalty: number,
    max_completion_tokens: number,
    max_tokens: number,
    stop: optional(z.union([z.string(), z.array(z.string())], 'must be a string or an array of strings')),
    user: optional(z.string('must be a string')),
    safety_identifier: optional(z.string('must be a string')),
    n: number,
    logprobs: optional(z.boolean('must be a boolean')),
    top_logprobs: number,
    modalities: optional(z.array(z.string(), 'must be an array of strings')),
    audio: optional(z.record(z.string(), z.unknown())),
  }),
)

/** What shows in the answer, and only a vendor of this dialect can be asked for. */
const VENDOR_ONLY = ['moderation']

/** Where hosts of this format are asked for reasoning. */
const REASONING = ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking'] as const
const MODALITIES: ReadonlySet<string> = new Set(['text', 'audio'])

const READ = readFields(
  ...Object.keys(settings.shape),
  ...VENDOR_ONLY,
  ...['messages', 'tools', 'functions', 'tool_choice', 'function_call', 'parallel_tool_calls', 'response_format'],
  ...REASONING,
  ...[
    'web_search_options',
    'verbosity',
    'service_tier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'metadata',
    'store',
  ],
)

/** The canonical conversation of a body. Throws `GatewayError('bad_request')` with the path of what cannot be told. */
export const decodePrompt = stepped(function* (given: JsonObject, bytes?: Uint8Array): Steps<Chat> {
  const body = yield* exactMembers(given, bytes, ARGUMENTS_AND_SCHEMAS)
  const messages = checked(list, body.messages, 'messages')
  const said = yield* decodeMessages(messages)
  const asked = checked(settings, body)
  const toolChoice = decodeToolChoice(body)
  const reasoning = decodeEffort(body)
  const responseFormat = decodeResponseFormat(body.response_format)
  const maxOutput = asked.max_completion_tokens ?? asked.max_tokens
  const user = asked.user ?? asked.safety_identifier
  const wanted = wantedOf(asked)
  const unread =
    hasUnread(body, READ) ||
    (!reasoning && REASONING.some(field => isUnread(body[field]))) ||
    asked.modalities?.some(one => !MODALITIES.has(one))
  const vendorOnly = VENDOR_ONLY.filter(field => isObject(body[field]))
  return {
    ...said,
    tools: decodeTools(body),
    ...(toolChoice && { toolChoice }),
    sampling: {
      ...(asked.temperature !== undefined && { temperature: asked.temperature }),
      ...(asked.top_p !== undefined && { topP: asked.top_p }),
      ...(asked.top_k !== undefined && { topK: asked.top_k }),
      ...(asked.seed !== undefined && { seed: asked.seed }),
      ...(asked.stop !== undefined && { stop: typeof asked.stop === 'string' ? [asked.stop] : asked.stop }),
      ...(asked.frequency_penalty !== undefined && { frequencyPenalty: asked.frequency_penalty }),
      ...(asked.presence_penalty !== undefined && { presencePenalty: asked.presence_penalty }),
    },
    ...(maxOutput !== undefined && { maxOutput }),
    ...(reasoning && { reasoning }),
    ...(responseFormat && { responseFormat }),
    ...(user !== undefined && { user }),
    ...(Object.keys(wanted).length > 0 && { wanted }),
    ...decodeServing(body, body.verbosity),
    ...(vendorOnly.length > 0 && { vendorOnly }),
    ...vendorHints(body, READ),
    ...(unread && { unread }),
  }
})

/** Default values ask for nothing. */
function wantedOf({ n, logprobs, top_logprobs: top, modalities, audio }: z.output<typeof settings>): Wanted {
  return {
    ...(n !== undefined && n !== 1 && { choices: n }),
    ...((logprobs || (top ?? 0) > 0) && { logprobs: top === undefined ? {} : { top } }),
    ...(modalities?.includes('audio') && { audio: audio ?? {} }),
  }
}

function* decodeMessages(messages: readonly JsonObject[]): Steps<Pick<Chat, 'system' | 'systemMarks' | 'turns'>> {
  const system: string[] = []
  const marks: (CacheMark | undefined)[] = []
  const media: MediaBlock[] = []
  const turns: Turn[] = []
  const oldCalls = new OldCalls()
  let results: Block[] | undefined // the user turn that a run of tool messages fills
  for (const [index, message] of messages.entries()) {
    yield
    const at = `messages[${index}]`
    const { role } = message
    if (role === 'tool' || role === 'function') {
      const block = decodeToolMessage(message, at, oldCalls)
      if (!results) {
        results = []
        turns.push({ role: 'user', blocks: results })
      }
      results.push(block)
      continue
    }
    results = undefined
    if (role === 'system' || role === 'developer') {
      const blocks = decodeContent(message.content, `${at}.content`).filter(isShown)
      if (turns.length === 0)
        for (const block of blocks) {
          if (block.type !== 'text') media.push(block)
          else {
            system.push(block.text)
            marks.push(block.cacheMark)
          }
        }
      else if (blocks.length > 0) turns.push({ role: 'system', blocks })
      continue
    }
    if (role !== 'user' && role !== 'assistant')
      throw badRequest(`${at}.role`, 'must be system, developer, user, assistant, tool or function')
    const blocks =
      role === 'user' ? decodeContent(message.content, `${at}.content`) : decodeAssistant(message, at, oldCalls)
    if (blocks.length > 0) turns.push({ role, blocks })
  }
  return { system, ...systemMarks(marks), turns: withHeadMedia(media, turns) }
}

function decodeToolMessage(message: JsonObject, at: string, oldCalls: OldCalls): Block {
  const id =
    message.role === 'function'
      ? oldCalls.answered(checked(text, message.name, `${at}.name`))
      : checked(text, message.tool_call_id, `${at}.tool_call_id`)
  return { type: 'tool_result', id, blocks: decodeResult(message.content, `${at}.content`), isError: false }
}

const call = z.object({
  id: z.string(),
  function: optional(z.object({ name: z.string(), arguments: z.unknown() })),
  custom: optional(z.object({ name: z.string(), input: z.string() })),
})

function decodeAssistant(message: JsonObject, at: string, oldCalls: OldCalls): Block[] {
  const { before, after } = decodeSentReasoning(message)
  const blocks: Block[] = [...before, ...decodeContent(message.content, `${at}.content`), ...after]
  if (typeof message.refusal === 'string' && message.refusal !== '')
    blocks.push({ type: 'refusal', text: message.refusal })
  const calls = checked(callList, message.tool_calls, `${at}.tool_calls`) ?? []
  for (const [index, item] of calls.entries()) {
    const where = `${at}.tool_calls[${index}]`
    const { id, function: plain, custom } = checked(call, item, where)
    if (plain)
      blocks.push({ type: 'tool_call', id, name: plain.name, args: argsText(plain.arguments), ...decodeProof(item) })
    else if (custom) blocks.push({ type: 'tool_call', id, name: custom.name, kind: 'custom', args: custom.input })
    else throw badRequest(`${where}.function`, 'must be an object')
  }
  if (isObject(message.function_call)) {
    const { name, arguments: args } = checked(oldCall, message.function_call, `${at}.function_call`)
    blocks.push({ type: 'tool_call', id: oldCalls.made(name), name, args: argsText(args) })
  }
  return blocks
}

/** The old single calls have no ids. They get one from their place, so that the same history has the same ids. */
class OldCalls {
  #count = 0
  readonly #open = new Map<string, string>()

  made(name: string): string {
    const id = `call_${this.#count++}`
    this.#open.set(name, id)
    return id
  }

  answered(name: string): string {
    return this.#open.get(name) ?? this.made(name)
  }
}

/** `reasoning_effort`, or the `reasoning`, `thinking` and `enable_thinking` by which other hosts of this format are asked. */
function decodeEffort(body: JsonObject): Reasoning | undefined {
  const asked = isObject(body.reasoning) ? body.reasoning : {}
  const thinking = isObject(body.thinking) ? body.thinking : {}
  const word = body.reasoning_effort ?? asked.effort
  const isOff = asked.enabled === false || thinking.type === 'disabled' || body.enable_thinking === false
  if (word === 'none' || isOff) return { mode: 'off' }
  // Most ask for none, and to be told so by zod would cost as much as the rest of the body.
  const level = word === undefined ? undefined : effortSchema.safeParse(word).data
  const tokens = asked.max_tokens ?? thinking.budget_tokens
  const budget = typeof tokens === 'number' && tokens > 0 ? { budget: tokens } : {}
  // A word that we do not know is a vendor's newest: no reason to refuse, and nothing to translate.
  if (level) return { mode: 'on', effort: level, ...budget }
  if ('budget' in budget || asked.enabled === true || thinking.type === 'enabled') return { mode: 'on', ...budget }
  return undefined
}

const jsonSchema = z.object({
  name: optional(z.string()),
  description: optional(z.string()),
  schema: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
})

function decodeResponseFormat(asked: unknown): ResponseFormat | undefined {
  if (!isObject(asked)) return undefined
  const { type } = asked
  if (type === undefined || type === null || type === 'text') return undefined
  if (type === 'json_object') return { type: 'json' }
  if (type !== 'json_schema') throw badRequest('response_format.type', 'is known to no other format')
  const { name, description, schema, strict } = checked(jsonSchema, asked.json_schema, 'response_format.json_schema')
  return {
    type: 'schema',
    schema: schema ?? {},
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}
