import { isObject, type JsonObject, type ReasoningBlock } from 'deflector'

/** Fields of a message or delta by which hosts give and take reasoning. None of them is in the vendor's own format. */
interface ReasoningFields {
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
}

const nonEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Some hosts fill both fields with the same text, so one of them is enough. */
export const reasoningText = (fields: ReasoningFields): string =>
  nonEmpty(fields.reasoning_content) || nonEmpty(fields.reasoning)

/**
 * Reasoning blocks of a message. A signature stands in `reasoning_details` (OpenRouter's shape, which we write too);
 * one that is marked as another vendor's than Anthropic's proves nothing to anybody we could send it to.
 */
export function decodeReasoning(fields: ReasoningFields): ReasoningBlock[] {
  const text = reasoningText(fields)
  const signed = signedBlocks(fields.reasoning_details)
  if (signed.length === 0) return text === '' ? [] : [{ type: 'reasoning', text }]
  if (text === '' || signed.some(block => block.text !== '')) return signed
  // A host that gives the words once, beside its details, means them for the first signature.
  const [first, ...rest] = signed
  if (first?.signature === undefined) return [{ type: 'reasoning', text }, ...signed]
  return [{ ...first, text }, ...rest]
}

function signedBlocks(details: unknown): ReasoningBlock[] {
  const blocks: ReasoningBlock[] = []
  let signed = false
  for (const detail of Array.isArray(details) ? details : []) {
    if (!isObject(detail) || isForeign(detail)) continue
    const { text, signature, data } = detail
    if (detail.type === 'reasoning.encrypted' && typeof data === 'string') {
      blocks.push({ type: 'reasoning', text: '', redacted: data })
      signed = true
    } else if (detail.type === 'reasoning.text') {
      const proof = nonEmpty(signature)
      if (proof !== '') signed = true
      blocks.push({ type: 'reasoning', text: nonEmpty(text), ...(proof !== '' && { signature: proof }) })
    }
  }
  return signed ? blocks : []
}

const isForeign = ({ format }: Readonly<Record<string, unknown>>): boolean =>
  typeof format === 'string' && !format.startsWith('anthropic')

/** Fields of an answer's message for its reasoning; details only when there is a proof to carry. */
export function encodeReasoning(blocks: readonly ReasoningBlock[]): JsonObject {
  const text = blocks.map(block => block.text).join('')
  const proven = blocks.some(block => block.signature !== undefined || block.redacted !== undefined)
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(proven && { reasoning_details: blocks.map(encodeDetail) }),
  }
}

export function encodeDetail({ text, signature, redacted }: Omit<ReasoningBlock, 'type'>): JsonObject {
  if (redacted !== undefined) return { type: 'reasoning.encrypted', data: redacted }
  return { type: 'reasoning.text', text, ...(signature !== undefined && { signature }) }
}
