import type {
  AnswerBlock,
  Citation,
  Completion,
  JsonObject,
  Prompt,
  ReplyFacts,
  TextBlock,
  ToolCallBlock,
} from 'deflector'
import { isObject, refiller } from 'deflector'
import { z } from 'zod'
import { argsText } from '../args-text.ts'
import { optional } from '../body.ts'
import { withExactMembers } from '../exact-members.ts'
import { freshId } from '../fresh-id.ts'
import { decodeLogprobs, encodeLogprob } from '../logprobs.ts'
import { REPEATED, type Repeated, repeatAsJson } from '../repeated.ts'
import { decodeParts } from './answer-parts.ts'
import { encodeProof } from './call-proof.ts'
import { decodeAnnotations, encodeCitation } from './citations.ts'
import { encodeCall } from './encode-messages.ts'
import { vendorMessage } from './errors.ts'
import { ARGUMENTS } from './exact.ts'
import { mergeExtras, readExtras } from './extras.ts'
import { asksOldForm, encodeOldCall, oldStop } from './old-form.ts'
import { decodeReasoning } from './reasoning.ts'
import { encodeReasoning } from './reasoning-details.ts'
import { decodeStop, encodeStop } from './stop.ts'
import { lostFromBody, lostFromChoice } from './unmodelled.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

const answer = z.compile(
  z.looseObject({
    id: optional(z.string()).catch(undefined),
    model: optional(z.string()).catch(undefined),
    created: optional(z.number()).catch(undefined),
    choices: z
      .array(
        z.looseObject({
          message: z.looseObject({}),
          finish_reason: z.unknown().optional(),
          index: z.unknown().optional(),
        }),
      )
      .min(1),
  }),
)

type Choice = z.output<typeof answer>['choices'][number]

/** The canonical answer: the choice at index 0, the others beside it. Throws an `Error` for what is no answer, the vendor's own errors included. */
export function decodeAnswer(given: unknown, bytes?: Uint8Array): Completion {
  const body = withExactMembers(given, bytes, ARGUMENTS)
  if (isObject(body) && isObject(body.error)) throw new Error(vendorMessage(body.error))
  const { id, model, created, choices, ...rest } = answer.parse(body)
  const first = choices.find(each => each.index === 0) ?? choices[0]
  if (!first) throw new Error('the answer has no choice')
  const others = choices.filter(choice => choice !== first)
  const usage = decodeUsage(rest.usage, rest.service_tier)
  const lost = [
    ...(others.length > 0 ? ['a second choice'] : []),
    ...lostFromBody(rest),
    ...choices.flatMap(choice => lostFromChoice(choice, choice.message)),
  ]
  return {
    id: id ?? '',
    model: model ?? '',
    created: created ?? 0,
    ...decodeChoice(first),
    ...(usage && { usage }),
    ...(others.length > 0 && { others: others.map(decodeChoice) }),
    ...(lost.length > 0 && { unmodelled: [...new Set(lost)] }),
  }
}

function decodeChoice({ message, finish_reason, logprobs }: Choice): Pick<Completion, 'blocks' | 'stop'> {
  const blocks = decodeMessage(message, isObject(logprobs) ? decodeLogprobs(logprobs.content) : undefined)
  return { blocks, stop: decodeStop(finish_reason, seenIn(blocks)) }
}

const seenIn = (blocks: readonly AnswerBlock[]) => ({
  calls: blocks.some(block => block.type === 'tool_call'),
  refusal: blocks.some(block => block.type === 'refusal'),
})

function decodeMessage(message: JsonObject, logprobs: TextBlock['logprobs']): AnswerBlock[] {
  const said = annotated(decodeParts(message.content), decodeAnnotations(message.annotations), logprobs)
  const blocks: AnswerBlock[] = [...decodeReasoning(message), ...said, ...readExtras(message)]
  if (typeof message.refusal === 'string' && message.refusal !== '')
    blocks.push({ type: 'refusal', text: message.refusal })
  const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
  blocks.push(...calls.map(decodeCall))
  // The old single call: some hosts still answer with it.
  if (calls.length === 0 && isObject(message.function_call))
    blocks.push(decodeCall({ function: message.function_call }))
  return blocks
}

/** What is told of the whole text goes to its last block. */
function annotated(
  blocks: AnswerBlock[],
  citations: readonly Citation[] | undefined,
  logprobs: TextBlock['logprobs'],
): AnswerBlock[] {
  if (!citations && !logprobs) return blocks
  const at = blocks.findLastIndex(({ type }) => type === 'text')
  const last = blocks[at]
  const text = last?.type === 'text' ? last.text : ''
  const before = blocks
    .slice(0, Math.max(0, at))
    .reduce((sum, each) => sum + (each.type === 'text' ? each.text.length : 0), 0)
  const placed = citations?.map(({ start, end, ...source }) => ({
    ...source,
    ...(start !== undefined && { start: Math.max(0, start - before) }),
    ...(end !== undefined && { end: Math.max(0, end - before) }),
  }))
  const full: TextBlock = { type: 'text', text, ...(placed && { citations: placed }), ...(logprobs && { logprobs }) }
  return at < 0 ? [...blocks, full] : blocks.with(at, full)
}

function decodeCall(item: unknown): AnswerBlock {
  const { id, function: plain, custom } = isObject(item) ? item : {}
  const own = typeof id === 'string' && id !== '' ? id : `call_${freshId()}`
  if (isObject(plain) && typeof plain.name === 'string')
    return { type: 'tool_call', id: own, name: plain.name, args: argsText(plain.arguments) }
  if (isObject(custom) && typeof custom.name === 'string')
    return { type: 'tool_call', id: own, name: custom.name, kind: 'custom', args: argsText(custom.input) }
  throw new Error('the answer holds a tool call without a name')
}

export function encodeAnswer(completion: Completion, reply: ReplyFacts, prompt?: Prompt): JsonObject {
  const { blocks, model, stop, usage, others = [] } = completion
  const isOld = prompt !== undefined && asksOldForm(prompt.body)
  return {
    id: replyId(reply),
    object: 'chat.completion',
    created: reply.created,
    model,
    choices: [{ blocks, stop }, ...others].map((choice, index) => encodeChoice(choice, index, isOld)),
    ...(usage && { usage: encodeUsage(usage) }),
    ...(usage?.tier !== undefined && { service_tier: usage.tier }),
  }
}

function encodeChoice(
  { blocks, stop }: Pick<Completion, 'blocks' | 'stop'>,
  index: number,
  isOld: boolean,
): JsonObject {
  const content = blocks.flatMap(block => (block.type === 'text' ? (block.logprobs ?? []) : []))
  const logprobs = content.length === 0 ? null : { content: content.map(encodeLogprob), refusal: null }
  const word = encodeStop(stop, seenIn(blocks))
  return { index, message: encodeMessage(blocks, isOld), logprobs, finish_reason: isOld ? oldStop(word) : word }
}

function encodeAnnotations(blocks: readonly AnswerBlock[]): JsonObject[] {
  let from = 0
  return blocks.flatMap(block => {
    if (block.type !== 'text') return []
    const { citations = [], text } = block
    const annotations = citations.flatMap(citation => encodeCitation(citation, from, text.length))
    from += text.length
    return annotations
  })
}

function encodeMessage(blocks: readonly AnswerBlock[], isOld: boolean): JsonObject {
  const join = (type: 'text' | 'refusal') => blocks.flatMap(block => (block.type === type ? [block.text] : [])).join('')
  const text = join('text')
  const refusal = join('refusal')
  const calls = blocks.filter(block => block.type === 'tool_call')
  const annotations = encodeAnnotations(blocks)
  const message: JsonObject = {
    role: 'assistant',
    // Clients take null for text as "look at the calls"; an empty answer is the empty text.
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...encodeReasoning(blocks),
    ...(annotations.length > 0 && { annotations }),
    ...(isOld ? encodeOldCall(calls) : encodeCalls(calls)),
  }
  for (const block of blocks) if (block.type === 'opaque') mergeExtras(message, block)
  return message
}

const encodeCalls = (calls: readonly ToolCallBlock[]): JsonObject =>
  calls.length === 0 ? {} : { tool_calls: calls.map(call => ({ ...encodeCall(call), ...encodeProof(call) })) }

export const replyId = ({ id }: ReplyFacts): string => `chatcmpl-${id}`

const refill = refiller('id', 'created', ...REPEATED)

export const reissue = (bytes: Uint8Array, reply: ReplyFacts, prompt?: Prompt): Uint8Array =>
  refill(bytes, key => ownValue(key, reply, prompt?.body ?? {}))

/** Of a member that differs from one client to the next. */
export function ownValue(key: 'id' | 'created' | Repeated, reply: ReplyFacts, body: JsonObject): string {
  if (key === 'id') return `"${replyId(reply)}"`
  return key === 'created' ? String(reply.created) : repeatAsJson(key, body)
}
