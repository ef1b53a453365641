import type { AnswerBlock, Completion, JsonObject, ReplyFacts } from 'deflector'
import { isObject, refiller } from 'deflector'
import { z } from 'zod'
import { argsText } from '../args-text.ts'
import { optional } from '../body.ts'
import { decodeParts } from './answer-parts.ts'
import { encodeCall } from './encode-messages.ts'
import { vendorMessage } from './errors.ts'
import { mergeExtras, readExtras } from './extras.ts'
import { decodeReasoning, encodeReasoning } from './reasoning.ts'
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
export function decodeAnswer(body: unknown): Completion {
  if (isObject(body) && isObject(body.error)) throw new Error(vendorMessage(body.error))
  const { id, model, created, choices, ...rest } = answer.parse(body)
  const first = choices.find(each => each.index === 0) ?? choices[0]
  if (!first) throw new Error('the answer has no choice')
  const others = choices.filter(choice => choice !== first)
  const usage = decodeUsage(rest.usage)
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

function decodeChoice({ message, finish_reason }: Choice): Pick<Completion, 'blocks' | 'stop'> {
  const blocks = decodeMessage(message)
  return { blocks, stop: decodeStop(finish_reason, seenIn(blocks)) }
}

const seenIn = (blocks: readonly AnswerBlock[]) => ({
  calls: blocks.some(block => block.type === 'tool_call'),
  refusal: blocks.some(block => block.type === 'refusal'),
})

function decodeMessage(message: JsonObject): AnswerBlock[] {
  const blocks: AnswerBlock[] = [...decodeReasoning(message), ...decodeParts(message.content), ...readExtras(message)]
  if (typeof message.refusal === 'string' && message.refusal !== '')
    blocks.push({ type: 'refusal', text: message.refusal })
  const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
  for (const [index, item] of calls.entries()) blocks.push(decodeCall(item, index))
  // The old single call: some hosts still answer with it.
  if (calls.length === 0 && isObject(message.function_call))
    blocks.push(decodeCall({ function: message.function_call }, 0))
  return blocks
}

function decodeCall(item: unknown, index: number): AnswerBlock {
  const { id, function: plain, custom } = isObject(item) ? item : {}
  const own = typeof id === 'string' && id !== '' ? id : `call_${index}`
  if (isObject(plain) && typeof plain.name === 'string')
    return { type: 'tool_call', id: own, name: plain.name, args: argsText(plain.arguments) }
  if (isObject(custom) && typeof custom.name === 'string')
    return { type: 'tool_call', id: own, name: custom.name, kind: 'custom', args: argsText(custom.input) }
  throw new Error('the answer holds a tool call without a name')
}

export function encodeAnswer(completion: Completion, reply: ReplyFacts): JsonObject {
  const { blocks, model, stop, usage } = completion
  return {
    id: replyId(reply),
    object: 'chat.completion',
    created: reply.created,
    model,
    choices: [
      { index: 0, message: encodeMessage(blocks), logprobs: null, finish_reason: encodeStop(stop, seenIn(blocks)) },
    ],
    ...(usage && { usage: encodeUsage(usage) }),
  }
}

function encodeMessage(blocks: readonly AnswerBlock[]): JsonObject {
  const join = (type: 'text' | 'refusal') => blocks.flatMap(block => (block.type === type ? [block.text] : [])).join('')
  const text = join('text')
  const refusal = join('refusal')
  const calls = blocks.filter(block => block.type === 'tool_call')
  const message: JsonObject = {
    role: 'assistant',
    // Clients take null for text as "look at the calls"; an empty answer is the empty text.
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...encodeReasoning(blocks.filter(block => block.type === 'reasoning')),
    ...(calls.length > 0 && { tool_calls: calls.map(encodeCall) }),
  }
  for (const block of blocks) if (block.type === 'opaque') mergeExtras(message, block)
  return message
}

export const replyId = ({ id }: ReplyFacts): string => `chatcmpl-${id}`

const refill = refiller('id', 'created')

export const reissue = (bytes: Uint8Array, reply: ReplyFacts): Uint8Array =>
  refill(bytes, { id: `"${replyId(reply)}"`, created: String(reply.created) })
