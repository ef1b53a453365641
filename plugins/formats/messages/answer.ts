import type {
  AnswerBlock,
  Completion,
  JsonObject,
  Prompt,
  ReasoningBlock,
  ReplyFacts,
  TextBlock,
  Usage,
} from 'deflector'
import { refiller } from 'deflector'
import { z } from 'zod'
import { argsObject } from '../args-object.ts'
import { optional } from '../body.ts'
import { exactJson } from '../exact-json.ts'
import { withExactMembers } from '../exact-members.ts'
import { asFunctionCall } from '../freeform.ts'
import { shownTo } from '../signature.ts'
import { proofOfCall } from './call-proof.ts'
import { readCitation, writeCitation } from './citations.ts'
import { ARGUMENTS } from './exact.ts'
import { canonicalId, wireId } from './ids.ts'
import { opaqueBlock } from './opaque.ts'
import { readStop, writeStop } from './stop.ts'
import { lostFromBlock, lostFromMessage } from './unmodelled.ts'
import { guessTokens, readUsage, wireUsage, writeUsage } from './usage.ts'

const block = z.looseObject({ type: z.string() })
const answer = z.compile(
  z.looseObject({
    type: z.literal('message').optional(),
    id: z.string(),
    model: z.string(),
    content: z.array(block),
    stop_reason: optional(z.string()),
    stop_sequence: optional(z.string()),
    usage: optional(wireUsage),
  }),
)
const text = z.looseObject({ text: z.string(), citations: z.unknown().optional() })
const thinking = z.looseObject({ thinking: z.string(), signature: optional(z.string()) })
const redacted = z.looseObject({ data: z.string() })
const toolUse = z.looseObject({ id: z.string(), name: z.string(), input: optional(z.unknown()) })

/** A vendor's whole answer. Throws an `Error` when it is not what the format promises. */
export function decodeAnswer(body: unknown, bytes?: Uint8Array): Completion {
  const { id, model, content, stop_reason, stop_sequence, usage, ...rest } = answer.parse(
    withExactMembers(body, bytes, ARGUMENTS),
  )
  const lost = [...lostFromMessage(rest), ...content.flatMap(lostFromBlock)]
  return {
    id,
    model,
    created: 0, // this format does not say
    blocks: content.map(readAnswerBlock),
    stop: readStop(stop_reason ?? '', stop_sequence),
    ...(usage && { usage: readUsage(usage) }),
    ...(lost.length > 0 && { unmodelled: [...new Set(lost)] }),
  }
}

function readAnswerBlock(value: z.infer<typeof block>): AnswerBlock {
  switch (value.type) {
    case 'text':
      return readText(text.parse(value))
    case 'thinking': {
      const { thinking: words, signature } = thinking.parse(value)
      return { type: 'reasoning', text: words, ...(signature && { signature, origin: 'messages' }) }
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: redacted.parse(value).data, origin: 'messages' }
    case 'tool_use': {
      const { id, name, input } = toolUse.parse(value)
      return { type: 'tool_call', id: canonicalId(id), name, args: exactJson(input ?? {}) }
    }
    default:
      return opaqueBlock(value)
  }
}

function readText({ text: words, citations: given }: z.infer<typeof text>): AnswerBlock {
  const citations = Array.isArray(given) ? given.flatMap(citation => readCitation(citation) ?? []) : []
  return { type: 'text', text: words, ...(citations.length > 0 && { citations }) }
}

function writeText({ text: words, citations = [] }: Omit<TextBlock, 'type'>): JsonObject {
  const written = citations.flatMap(citation => writeCitation(citation) ?? [])
  return { type: 'text', text: words, ...(written.length > 0 && { citations: written }) }
}

/** The answer for a client, with an id of its own. Usage without a count is guessed from what was asked and written. */
export function encodeAnswer(
  { model, blocks, stop, usage }: Completion,
  reply: ReplyFacts,
  prompt?: Prompt,
): JsonObject {
  return {
    id: messageId(reply),
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.flatMap(writeAnswerBlocks).filter(one => one !== undefined),
    ...writeStop(stop, new Set(blocks.map(({ type }) => type))),
    usage: writeUsage(usage ?? guessUsage(blocks, prompt)),
  }
}

const writeAnswerBlocks = (one: AnswerBlock): (JsonObject | undefined)[] =>
  one.type === 'tool_call' ? [proofOfCall(one), writeAnswerBlock(one)] : [writeAnswerBlock(one)]

function writeAnswerBlock(one: AnswerBlock): JsonObject | undefined {
  switch (one.type) {
    case 'text':
    case 'refusal':
      return one.text === '' ? undefined : writeText(one)
    case 'reasoning':
      if (one.redacted !== undefined)
        return { type: 'redacted_thinking', data: shownTo('messages', one.redacted, one.origin) }
      // Clients want the field; an empty one marks reasoning that no vendor vouches for, and never goes upstream.
      return { type: 'thinking', thinking: one.text, signature: shownSignature(one) }
    case 'tool_call':
      return { type: 'tool_use', id: wireId(one.id), name: one.name, input: argsObject(asFunctionCall(one).args) }
    case 'opaque':
      return one.format === 'messages' ? one.value : undefined
  }
}

const shownSignature = ({ signature, origin }: ReasoningBlock): string =>
  signature === undefined ? '' : shownTo('messages', signature, origin)

function guessUsage(blocks: readonly AnswerBlock[], prompt: Prompt | undefined): Usage {
  const characters = blocks.map(one =>
    one.type === 'tool_call' ? one.args.length : 'text' in one ? one.text.length : 0,
  )
  return {
    input: guessTokens(prompt?.bytes.length ?? 0),
    output: guessTokens(characters.reduce((sum, count) => sum + count, 0)),
  }
}

/** Only the id changes: this format has no time of creation. */
export const reissue = (bytes: Uint8Array, reply: ReplyFacts): Uint8Array =>
  refill(bytes, () => `"${messageId(reply)}"`)

const refill = refiller('id')

/** The id that a client reads. */
export const messageId = ({ id }: ReplyFacts): string => `msg_${id}`
