import {
  type Chat,
  isObject,
  type JsonObject,
  type ResponseFormat,
  type Sampling,
  type Steps,
  stepped,
  type Turn,
} from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { exactMembers } from '../exact-members.ts'
import { servingOf } from '../tier-words.ts'
import { hasUnread, isUnread, readFields, vendorHints } from '../vendor-hints.ts'
import { isBilling } from './billing.ts'
import { readContent, readSystem } from './decode-blocks.ts'
import { ARGUMENTS_AND_SCHEMAS } from './exact.ts'
import { readReasoning } from './reasoning.ts'
import { TIERS } from './tiers.ts'
import { readToolChoice, readTools } from './tools.ts'

const format = z.looseObject({ type: z.string(), schema: optional(z.record(z.string(), z.unknown())) })
const prompt = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1),
  max_tokens: optional(z.number().int().nonnegative()),
  temperature: optional(z.number()),
  top_p: optional(z.number()),
  top_k: optional(z.number().int()),
  stop_sequences: optional(z.array(z.string())),
  metadata: z
    .looseObject({ user_id: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  output_config: optional(z.looseObject({ effort: z.unknown().optional(), format: optional(format) })),
  output_format: optional(format),
})

const READ = readFields(
  ...Object.keys(prompt.shape),
  ...['system', 'tools', 'tool_choice', 'thinking', 'service_tier', 'mcp_servers', 'cache_control'],
)

const OUTPUT_READ: ReadonlySet<string> = new Set(['effort', 'format'])

/** The canonical conversation of a body in this format. Throws `GatewayError('bad_request')` with the field's path. */
export const decodePrompt = stepped(function* (given: JsonObject, bytes?: Uint8Array): Steps<Chat> {
  const body = yield* exactMembers(given, bytes, ARGUMENTS_AND_SCHEMAS)
  const asked = checked(prompt, body)
  const { system, turns, lost } = yield* readTurns(asked.messages)
  const head = body.system === undefined || body.system === null ? [] : readSystem(body.system, 'system')
  const reasoning = readReasoning(body.thinking, asked.output_config?.effort)
  const responseFormat =
    readFormat(asked.output_config?.format, 'output_config.format') ?? readFormat(asked.output_format, 'output_format')
  const unread =
    hasUnread(body, READ) ||
    hasUnread(asked.output_config ?? {}, OUTPUT_READ) ||
    (!reasoning && isUnread(asked.output_config?.effort)) ||
    asked.messages.some(({ content }) => Array.isArray(content) && content.some(asksForCitations))
  // With those servers the vendor itself talks.
  const vendorOnly = [...(isFilled(body.mcp_servers) ? ['mcp_servers'] : []), ...lost]
  return {
    system: [...head.filter(text => text !== '' && !isBilling(text)), ...system],
    turns,
    tools: isPresent(body.tools) ? readTools(body.tools) : [],
    ...(isPresent(body.tool_choice) && { toolChoice: readToolChoice(body.tool_choice) }),
    sampling: readSampling(asked),
    ...(asked.max_tokens !== undefined && { maxOutput: asked.max_tokens }),
    ...(reasoning && { reasoning }),
    ...(responseFormat && { responseFormat }),
    ...(asked.metadata?.user_id !== undefined && { user: asked.metadata.user_id }),
    ...servingOf(body.service_tier, TIERS),
    ...(vendorOnly.length > 0 && { vendorOnly }),
    ...vendorHints(body, READ, hasCacheMark(body) ? ['cache_control'] : []),
    ...(unread && { unread }),
  }
})

/** Is some block marked as the end of what its vendor is to cache? */
function hasCacheMark({ cache_control, system, tools, messages }: JsonObject): boolean {
  const contents = Array.isArray(messages) ? messages.map(one => (isObject(one) ? one.content : undefined)) : []
  return (
    isObject(cache_control) || [system, tools, ...contents].some(list => Array.isArray(list) && list.some(isMarked))
  )
}

const isMarked = (block: unknown): boolean => isObject(block) && isObject(block.cache_control)

/** Its words can be told to another vendor, but where they stand cannot be asked back. */
const asksForCitations = (block: unknown): boolean =>
  isObject(block) && isObject(block.citations) && block.citations.enabled === true

/** System text before the first turn joins the head; later it keeps its place. `lost`: what no other format can say. */
function* readTurns(
  messages: z.infer<typeof prompt>['messages'],
): Steps<{ system: string[]; turns: Turn[]; lost: string[] }> {
  const system: string[] = []
  const turns: Turn[] = []
  const lost: string[] = []
  for (const [i, { role, content }] of messages.entries()) {
    yield
    const at = `messages[${i}]`
    if (role === 'system' && turns.length === 0) system.push(...readSystem(content, `${at}.content`))
    else if (role === 'user' || role === 'assistant' || role === 'system') {
      turns.push({ role, blocks: readContent(content, { at: `${at}.content`, role, lost }) })
    } else throw badRequest(`${at}.role`, 'is none of user, assistant and system')
  }
  return { system, turns, lost }
}

function readSampling({ temperature, top_p, top_k, stop_sequences }: z.infer<typeof prompt>): Sampling {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(top_k !== undefined && { topK: top_k }),
    ...(stop_sequences && stop_sequences.length > 0 && { stop: stop_sequences }),
  }
}

function readFormat(asked: z.infer<typeof format> | undefined, at: string): ResponseFormat | undefined {
  if (!asked) return undefined
  if (asked.type !== 'json_schema' || !asked.schema) throw badRequest(at, 'is no json_schema')
  return { type: 'schema', schema: asked.schema, strict: true }
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const isPresent = (value: unknown): boolean => value !== undefined && value !== null
