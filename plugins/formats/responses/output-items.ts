import {
  type AnswerBlock,
  isObject,
  type JsonObject,
  type OpaqueBlock,
  type RefusalBlock,
  type TextBlock,
} from 'deflector'
import { z } from 'zod'
import { decodeAnnotation, decodeLogprobs } from './annotations.ts'
import { decodeCall } from './decode-items.ts'
import { isRunByVendor } from './own-steps.ts'
import { decodeReasoning } from './reasoning.ts'

const message = z.compile(z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }))
const text = z.looseObject({ text: z.string() })
const refusal = z.looseObject({ refusal: z.string() })

/** What one item of an answer says. Throws an `Error` for what is not as the format promises. */
export function decodeOutputItem(item: JsonObject): AnswerBlock[] {
  switch (item.type) {
    case 'message':
      return message.parse(item).content.flatMap(decodePart)
    case 'reasoning': {
      const block = decodeReasoning(item)
      return block.text === '' && block.redacted === undefined ? [] : [block]
    }
    case 'function_call':
    case 'custom_tool_call':
      return [decodeCall(item)]
    default:
      return [opaqueItem(item)]
  }
}

/** An item that only this format has, as it came. */
export function opaqueItem(value: JsonObject): OpaqueBlock {
  const vital = vitalIn(value)
  const deed = DEEDS.test(String(value.type))
  return { type: 'opaque', format: 'responses', value, ...(vital !== undefined && { vital }), ...(deed && { deed }) }
}

/** Calls that the vendor runs itself with effects, and what came of any that is told beside it: a client tells its own. */
const DEEDS = /^(?:mcp_call|code_interpreter_call|\w{1,40}_output)$/

const ASKS = /^\w{1,40}_(?:call|request)$/

/** What a client would have to see, run or decide itself. */
function vitalIn({ type, result }: JsonObject): string | undefined {
  if (type === 'image_generation_call') return typeof result === 'string' && result !== '' ? 'an image' : undefined
  return typeof type === 'string' && ASKS.test(type) && !isRunByVendor(type) ? `the item ${type}` : undefined
}

function decodePart(part: JsonObject): (TextBlock | RefusalBlock)[] {
  if (part.type === 'refusal') return [{ type: 'refusal', text: refusal.parse(part).refusal }]
  if (part.type !== 'output_text') return []
  const { text: said } = text.parse(part)
  if (said === '') return []
  const citations = annotationsOf(part).flatMap(annotation => decodeAnnotation(annotation) ?? [])
  const logprobs = decodeLogprobs(part.logprobs)
  return [{ type: 'text', text: said, ...(citations.length > 0 && { citations }), ...(logprobs && { logprobs }) }]
}

export const annotationsOf = ({ annotations }: JsonObject): readonly unknown[] =>
  Array.isArray(annotations) ? annotations : []

const PARTS: ReadonlySet<unknown> = new Set(['output_text', 'refusal'])

/** What of an item the canonical shape has no place for, each in a few words; of a stream's last events too. */
export function lostFromItem({ type, phase, content, caller }: JsonObject): string[] {
  if (type !== 'message') return isObject(caller) && caller.type !== 'direct' ? ['caller'] : []
  const parts: unknown[] = Array.isArray(content) ? content : []
  return [
    ...(typeof phase === 'string' ? ['phase'] : []),
    ...parts.flatMap(part => (isObject(part) ? lostFromPart(part) : [])),
  ]
}

export function lostFromPart(part: JsonObject): string[] {
  if (!PARTS.has(part.type)) return ['a part of the content']
  return annotationsOf(part).some(annotation => !decodeAnnotation(annotation)) ? ['annotations'] : []
}
