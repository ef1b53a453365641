import {
  atOnce,
  type Chat,
  isObject,
  type JsonObject,
  type ResponseFormat,
  type Steps,
  stepped,
  type Wanted,
} from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { exactMembers } from '../exact-members.ts'
import { decodeServing } from '../serving.ts'
import { hasUnread, isUnread, readFields, vendorHints } from '../vendor-hints.ts'
import { decodeItems } from './decode-items.ts'
import { decodeEffort } from './reasoning.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

const number = optional(z.number('must be a number'))
const text = optional(z.string('must be a string'))
const settings = z.compile(
  z.object({
    instructions: optional(z.union([z.string(), z.array(z.record(z.string(), z.unknown()))], 'must be a string')),
    temperature: number,
    top_p: number,
    top_logprobs: number,
    max_output_tokens: number,
    include: optional(z.array(z.string(), 'must be an array of strings')),
    user: text,
    safety_identifier: text,
  }),
)
const jsonSchema = z.object({
  name: optional(z.string()),
  description: optional(z.string()),
  schema: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
})

/** The members that hold what a tool takes and gives, where that is no text, or a schema. */
const TOOL_JSON_AND_SCHEMAS: ReadonlySet<string> = new Set(['arguments', 'output', 'parameters', 'schema'])

/** Fields that a vendor of another dialect cannot honour, and that are more than a hint. */
const VENDOR_ONLY: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['background', value => value === true],
  ['prompt', value => isObject(value)],
  ['moderation', value => isObject(value)],
]

const READ = readFields(
  ...Object.keys(settings.shape),
  ...VENDOR_ONLY.map(([field]) => field),
  ...['input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'truncation'],
  ...[
    'previous_response_id',
    'conversation',
    'service_tier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'metadata',
    'store',
  ],
)

const TEXT_READ: ReadonlySet<string> = new Set(['format', 'verbosity'])

/** A search reads its limit. */
const WITH_LIMIT: ReadonlySet<string> = new Set([...READ, 'max_tool_calls'])

/** The canonical conversation of a body. Throws `GatewayError('bad_request')` with the path of what cannot be told. */
export const decodePrompt = stepped(function* (given: JsonObject, bytes?: Uint8Array): Steps<Chat> {
  const body = yield* exactMembers(given, bytes, TOOL_JSON_AND_SCHEMAS)
  const asked = checked(settings, body)
  const said = yield* decodeItems(body.input)
  const own = decodeTools(body.tools, 'tools', body.max_tool_calls)
  const vendorOnly = [...VENDOR_ONLY.flatMap(([field, is]) => (is(body[field]) ? [field] : [])), ...said.vendorOnly]
  const toolChoice = decodeToolChoice(body)
  const reasoning = decodeEffort(body.reasoning)
  const shape = isObject(body.text) ? body.text : {}
  const responseFormat = decodeFormat(shape.format)
  const wanted = decodeWanted(asked)
  const unread =
    hasUnread(body, READ) ||
    hasUnread(shape, TEXT_READ) ||
    (!reasoning && isUnread(body.reasoning)) ||
    (!responseFormat && isUnread(shape.format) && !isText(shape.format)) ||
    asked.include?.some(part => part !== LOGPROBS)
  const user = asked.safety_identifier ?? asked.user
  const instructions = instructionsOf(asked.instructions)
  return {
    system: [...instructions, ...said.system],
    ...(said.systemMarks && { systemMarks: [...instructions.map(() => undefined), ...said.systemMarks] }),
    turns: said.turns,
    tools: [...own, ...said.tools],
    ...(toolChoice && { toolChoice }),
    sampling: {
      ...(asked.temperature !== undefined && { temperature: asked.temperature }),
      ...(asked.top_p !== undefined && { topP: asked.top_p }),
    },
    ...(asked.max_output_tokens !== undefined && { maxOutput: asked.max_output_tokens }),
    ...(reasoning && { reasoning }),
    ...(responseFormat && { responseFormat }),
    ...(user !== undefined && { user }),
    ...(wanted && { wanted }),
    ...decodeServing(body, shape.verbosity),
    ...(vendorOnly.length > 0 && { vendorOnly }),
    ...vendorHints(body, own.some(({ hosted }) => hosted?.search) ? WITH_LIMIT : READ, [
      ...(body.truncation === 'auto' ? ['truncation'] : []),
    ]),
    ...(unread && { unread }),
  }
})

/** A text, or (some clients) items that say it. */
function instructionsOf(given: string | readonly JsonObject[] | undefined): readonly string[] {
  if (given === undefined || given === '') return []
  if (typeof given === 'string') return [given]
  const { system, turns } = atOnce(decodeItems(given))
  if (turns.length > 0) throw badRequest('instructions', 'must hold nothing but texts of the system')
  return system
}

function decodeFormat(asked: unknown): ResponseFormat | undefined {
  if (!isObject(asked)) return undefined
  if (asked.type === 'json_object') return { type: 'json' }
  if (asked.type !== 'json_schema') return undefined
  const { name, description, schema, strict } = checked(jsonSchema, asked, 'text.format')
  return {
    type: 'schema',
    schema: schema ?? {},
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

const isText = (format: unknown): boolean => isObject(format) && format.type === 'text'

const LOGPROBS = 'message.output_text.logprobs'

function decodeWanted({ include, top_logprobs: top }: z.output<typeof settings>): Wanted | undefined {
  if (!include?.includes(LOGPROBS) && !top) return undefined
  return { logprobs: top ? { top } : {} }
}
