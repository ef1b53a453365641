import { isObject, type ReasoningBlock, type RefusalBlock, type TextBlock } from 'deflector'

/** `content` of an answer or delta: a string, or (Mistral) parts with the thinking among them. */
export function decodeParts(content: unknown): (TextBlock | ReasoningBlock | RefusalBlock)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((part): (TextBlock | ReasoningBlock | RefusalBlock)[] => {
    if (!isObject(part)) return []
    if (part.type === 'text' && typeof part.text === 'string') return decodeParts(part.text)
    if (part.type === 'refusal' && typeof part.refusal === 'string') return [{ type: 'refusal', text: part.refusal }]
    if (part.type !== 'thinking') return []
    const text =
      typeof part.thinking === 'string'
        ? part.thinking
        : decodeParts(part.thinking)
            .map(each => each.text)
            .join('')
    return text === '' ? [] : [{ type: 'reasoning', text }]
  })
}
