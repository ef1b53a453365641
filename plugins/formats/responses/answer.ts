import type { AnswerBlock, Completion, JsonObject, Prompt, ReplyFacts } from 'deflector'
import { isObject, refiller } from 'deflector'
import { z } from 'zod'
import { optional } from '../body.ts'
import { hiddenProof } from '../call-proof.ts'
import { REPEATED, repeatAsJson } from '../repeated.ts'
import { CallItem } from './call-item.ts'
import { CalledTools } from './called-tools.ts'
import { ItemIds } from './item-ids.ts'
import { addBlocks } from './joined-texts.ts'
import { MessageItem } from './message-item.ts'
import { OpaqueItem } from './opaque-item.ts'
import { decodeOutputItem, lostFromItem } from './output-items.ts'
import { ReasoningItem } from './reasoning-item.ts'
import { ECHOES, responseHead, responseId, responseObject } from './response-object.ts'
import { decodeStop, encodeStop, faultOf } from './stop.ts'
import type { StreamItem } from './stream-item.ts'
import { decodeUsage } from './usage.ts'

const answer = z.compile(
  z.looseObject({
    id: optional(z.string()).catch(undefined),
    model: optional(z.string()).catch(undefined),
    created_at: optional(z.number()).catch(undefined),
    output: z.array(z.looseObject({ type: z.string() })),
  }),
)

/** A vendor's whole answer. Throws an `Error` for what is no answer, a `StreamFault` for a response that failed. */
export function decodeAnswer(body: unknown): Completion {
  if (isObject(body) && isObject(body.error)) throw faultOf(body.error)
  const { id, model, created_at, output, ...rest } = answer.parse(body)
  const blocks: AnswerBlock[] = []
  const joined = addBlocks(blocks, output.flatMap(decodeOutputItem))
  const usage = decodeUsage(rest.usage, rest.service_tier)
  const seen = {
    calls: blocks.some(block => block.type === 'tool_call'),
    refusal: blocks.some(block => block.type === 'refusal'),
  }
  const lost = [...output.flatMap(lostFromItem), ...(joined ? [SEVERAL_TEXTS] : [])]
  return {
    id: id ?? '',
    model: model ?? '',
    created: created_at ?? 0,
    blocks,
    stop: decodeStop(rest, seen),
    ...(usage && { usage }),
    ...(lost.length > 0 && { unmodelled: [...new Set(lost)] }),
  }
}

export const SEVERAL_TEXTS = 'several texts in a row'

/** The answer for a client, with an id of its own. */
export function encodeAnswer(
  { model, blocks, stop, usage }: Completion,
  reply: ReplyFacts,
  prompt?: Prompt,
): JsonObject {
  const seen = {
    calls: blocks.some(block => block.type === 'tool_call'),
    refusal: blocks.some(block => block.type === 'refusal'),
  }
  const { status, incomplete_details } = encodeStop(stop, seen)
  const items = itemsOf(blocks, new CalledTools(prompt), new ItemIds(reply))
  const output = items.map((item, at) => {
    item.close()
    return item.done(status === 'incomplete' && at === items.length - 1 ? 'incomplete' : 'completed')
  })
  return responseObject(responseHead(model, reply, prompt), {
    status: String(status),
    incomplete_details,
    output,
    usage,
  })
}

function itemsOf(blocks: readonly AnswerBlock[], tools: CalledTools, ids: ItemIds): StreamItem[] {
  const items: StreamItem[] = []
  const message = (): MessageItem => {
    const last = items.at(-1)
    if (last instanceof MessageItem) return last
    const item = new MessageItem(ids.next('msg'))
    items.push(item)
    return item
  }
  for (const block of blocks) {
    if (block.type === 'text') {
      if (block.text !== '') {
        message().beginBlock()
        message().text(block.text, block.logprobs)
      }
      for (const citation of block.citations ?? []) message().cite(citation)
    } else if (block.type === 'refusal') message().refusal(block.text)
    else if (block.type === 'reasoning') {
      const { type: _, text, ...proof } = block
      if (text === '' && (proof.redacted ?? proof.signature) === undefined) continue
      const item = new ReasoningItem(ids.next('rs'))
      if (text !== '') item.text(text)
      item.seal(proof)
      items.push(item)
    } else if (block.type === 'tool_call') {
      const proof = hiddenProof(block)
      if (proof) items.push(new ReasoningItem(ids.next('rs'), proof))
      const call = { id: block.id, ...tools.named(block) }
      const item = new CallItem(ids.next(call.kind === 'custom' ? 'ctc' : 'fc'), call)
      item.extend(block.args)
      items.push(item)
    } else if (block.format === 'responses') items.push(new OpaqueItem(block.value))
  }
  return items
}

const refill = refiller('id', 'created_at', ...REPEATED)

export const reissue = (bytes: Uint8Array, reply: ReplyFacts, prompt?: Prompt): Uint8Array =>
  refill(bytes, key => {
    if (key === 'id') return `"${responseId(reply)}"`
    return key === 'created_at' ? String(reply.created) : repeatAsJson(key, prompt?.body ?? {}, ECHOES)
  })
