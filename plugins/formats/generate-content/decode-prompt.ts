import {
  type Block,
  type Chat,
  isObject,
  type JsonObject,
  type MediaBlock,
  type ResponseFormat,
  type Sampling,
  type Steps,
  stepped,
  type Turn,
  type Wanted,
} from 'deflector'
import { z } from 'zod'
import { badRequest, optional } from '../body.ts'
import { isMedia, isShown, withHeadMedia } from '../content.ts'
import { exactMembers } from '../exact-members.ts'
import { SESSION_FIELDS } from '../session-id.ts'
import { servingOf } from '../tier-words.ts'
import { hasUnread, readFields, unreadIn, vendorHints } from '../vendor-hints.ts'
import { CallIds } from './call-ids.ts'
import { readParts } from './decode-parts.ts'
import { TOOL_JSON_AND_SCHEMAS } from './exact.ts'
import { camel, fields, listOf } from './fields.ts'
import { CODE, RESULT } from './own-deeds.ts'
import { readReasoning } from './reasoning.ts'
import { fromSubset } from './schema.ts'
import { TIERS } from './tiers.ts'
import { readToolChoice, readTools } from './tools.ts'

const number = optional(z.number())
const schema = optional(z.record(z.string(), z.unknown()))
const content = z.looseObject({ role: optional(z.string()), parts: z.unknown().optional() })
const config = z.looseObject({
  temperature: number,
  topP: number,
  topK: number,
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  candidateCount: number,
  maxOutputTokens: number,
  stopSequences: optional(z.array(z.string())),
  responseLogprobs: optional(z.boolean()),
  logprobs: number,
  responseMimeType: optional(z.string()),
  responseSchema: schema,
  responseJsonSchema: schema,
  _responseJsonSchema: schema,
  responseModalities: optional(z.array(z.string())),
  thinkingConfig: z.unknown().optional(),
})
type Config = z.output<typeof config>

const CONFIG = 'generationConfig'
const READ = readFields(
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', CONFIG, 'cachedContent', 'serviceTier'],
  ...SESSION_FIELDS.flatMap(field => Object.keys(camel({ [field]: '' }))),
)
const THINKING_READ: ReadonlySet<string> = new Set(['includeThoughts'])
const CONFIG_READ = readFields(...Object.keys(config.shape))

/** The canonical conversation of a body in this format. Throws `GatewayError('bad_request')` with the field's path. */
export const decodePrompt = stepped(function* (given: JsonObject, bytes?: Uint8Array): Steps<Chat> {
  const body = camel(yield* exactMembers(given, bytes, TOOL_JSON_AND_SCHEMAS))
  const { contents, systemInstruction, tools, toolConfig, generationConfig, cachedContent, serviceTier } = body
  const asked: Config = fields(config, generationConfig ?? {}, CONFIG)
  const toolChoice = readToolChoice(toolConfig)
  const reasoning = readReasoning(asked.thinkingConfig, `${CONFIG}.thinkingConfig`)
  const responseFormat = readFormat(asked)
  const logprobs = readLogprobs(asked)
  const { turns, foreign } = yield* readTurns(contents)
  const head = readSystem(systemInstruction)
  const { thinkingConfig: thinking } = asked
  const unread =
    hasUnread(body, READ) ||
    hasUnread(asked, CONFIG_READ) ||
    (!reasoning && isObject(thinking) && hasUnread(camel(thinking), THINKING_READ))
  const vendorOnly = [...vendorOnlyIn(asked, cachedContent), ...head.foreign, ...foreign]
  return {
    system: head.system,
    turns: withHeadMedia(head.media, turns),
    tools: readTools(tools),
    ...(toolChoice && { toolChoice }),
    sampling: readSampling(asked),
    ...(asked.maxOutputTokens !== undefined && { maxOutput: asked.maxOutputTokens }),
    ...(reasoning && { reasoning }),
    ...(responseFormat && { responseFormat }),
    ...(logprobs && { wanted: { logprobs } }),
    ...servingOf(serviceTier, TIERS),
    ...(vendorOnly.length > 0 && { vendorOnly }),
    ...vendorHints(body, READ, unreadIn(asked, CONFIG_READ, `${CONFIG}.`)),
    ...(unread && { unread }),
  }
})

/** What no vendor of another format can be asked for. */
function vendorOnlyIn(asked: Config, cachedContent: unknown): string[] {
  const { candidateCount = 1, responseModalities = [], responseMimeType } = asked
  return [
    ...(typeof cachedContent === 'string' && cachedContent !== '' ? ['cachedContent'] : []),
    ...(candidateCount > 1 ? [`${CONFIG}.candidateCount`] : []),
    ...(responseModalities.some(one => one.toUpperCase() !== 'TEXT') ? [`${CONFIG}.responseModalities`] : []),
    ...(PLAIN.has(responseMimeType) || responseMimeType === JSON_TYPE ? [] : [`${CONFIG}.responseMimeType`]),
  ]
}

const PLAIN = new Set<unknown>([undefined, '', 'text/plain'])
const JSON_TYPE = 'application/json'

interface Head {
  readonly system: readonly string[]
  readonly media: readonly MediaBlock[]
  /** The field of parts that no other format can say. */
  readonly foreign: readonly string[]
}

function readSystem(value: unknown): Head {
  if (value === undefined || value === null) return { system: [], media: [], foreign: [] }
  if (typeof value === 'string') return { system: value === '' ? [] : [value], media: [], foreign: [] }
  const at = `${SYSTEM}.parts`
  const blocks = readParts(fields(content, value, SYSTEM).parts, at, new CallIds())
  return {
    system: blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])),
    media: blocks.filter(isMedia),
    foreign: blocks.every(isShown) ? [] : [at],
  }
}

const SYSTEM = 'systemInstruction'

const ROLES: Readonly<Record<string, Turn['role']>> = {
  user: 'user',
  function: 'user',
  tool: 'user',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
}

function* readTurns(contents: unknown): Steps<{ readonly turns: Turn[]; readonly foreign: readonly string[] }> {
  const turns: { readonly role: Turn['role']; readonly blocks: Block[] }[] = []
  const foreign: string[] = []
  const calls = new CallIds()
  /** Where code stands that the vendor has begun to run. */
  let running: string | undefined
  for (const [i, value] of listOf(contents, 'contents').entries()) {
    yield
    const at = `contents[${i}]`
    const { role: word, parts } = fields(content, value, at)
    const role = ROLES[word || 'user']
    if (!role) throw badRequest(`${at}.role`, 'must be user or model')
    const blocks = readParts(parts, `${at}.parts`, calls)
    if (blocks.some(block => block.type === 'opaque' && !(role === 'assistant' && block.step)))
      foreign.push(`${at}.parts`)
    const steps = blocks.flatMap(block => (block.type === 'opaque' && block.step ? [block.step.field] : []))
    const step = steps.findLast(field => field === CODE || field === RESULT)
    if (role !== 'assistant' || step === RESULT) running = undefined
    else if (step === CODE) running = `${at}.parts`
    const last = turns.at(-1)
    // A client that streams keeps every piece of an answer as a content of its own.
    if (last?.role === 'assistant' && role === 'assistant') last.blocks.push(...blocks)
    else turns.push({ role, blocks })
  }
  if (running !== undefined) foreign.push(running)
  return {
    turns: turns.map(({ role, blocks }) => ({ role, blocks: role === 'assistant' ? joined(blocks) : blocks })),
    foreign,
  }
}

/** The pieces of one answer as one: words after words, and reasoning up to the signature that proves all of it. */
function joined(blocks: readonly Block[]): Block[] {
  const out: Block[] = []
  for (const block of blocks) {
    const last = out.at(-1)
    if (block.type === 'text' && last?.type === 'text') out[out.length - 1] = { ...last, text: last.text + block.text }
    else if (block.type === 'reasoning' && last?.type === 'reasoning' && last.origin === undefined && block.text !== '')
      out[out.length - 1] = { ...block, text: last.text + block.text }
    else out.push(block)
  }
  return out
}

function readSampling(asked: Config): Sampling {
  const { temperature, topP, topK, seed, stopSequences, frequencyPenalty, presencePenalty } = asked
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences && stopSequences.length > 0 && { stop: stopSequences }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
  }
}

function readFormat(asked: Config): ResponseFormat | undefined {
  const { responseMimeType: type, responseSchema, responseJsonSchema, _responseJsonSchema } = asked
  const schema = responseJsonSchema ?? _responseJsonSchema ?? (responseSchema && fromSubset(responseSchema))
  if (type !== JSON_TYPE) return undefined
  return schema ? { type: 'schema', schema } : { type: 'json' }
}

function readLogprobs({ responseLogprobs, logprobs: top }: Config): Wanted['logprobs'] {
  return responseLogprobs ? { ...(top !== undefined && { top }) } : undefined
}
