import { isObject, type JsonObject } from 'deflector'

/**
 * What of an answer the canonical shape has no place for, each in a few words. Whole answers and streams are read by
 * the same rules: an answer of which a part would be lost is never replayed from its canonical form.
 */

/** Of a whole answer, or of the parts of it that a stream's `message_start` and `message_delta` hold. */
export function lostFromMessage({ container, context_management: context }: JsonObject): string[] {
  const edits: unknown = isObject(context) ? context.applied_edits : undefined
  return [
    ...(isObject(container) ? ['container'] : []),
    ...(Array.isArray(edits) && edits.length > 0 ? ['context_management'] : []),
  ]
}

/** Of one content block. A block that is kept as it came loses nothing. */
export function lostFromBlock({ type, citations, caller }: JsonObject): string[] {
  if (type === 'text' && Array.isArray(citations) && citations.length > 0) return ['citations']
  // `direct` is what a call without a caller means as well.
  if (type === 'tool_use' && isObject(caller) && caller.type !== 'direct') return ['caller']
  return []
}
