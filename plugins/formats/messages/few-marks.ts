import { isObject, type JsonObject } from 'deflector'
import { listOf } from '../placed-texts.ts'

/** As many marks as the vendor takes. */
const MOST = 4

/** A body with the last of its marks only: they cover the longest beginnings. */
export function withFewMarks(body: JsonObject, messages: readonly JsonObject[]): JsonObject {
  const marked = [body.system, ...messages.map(({ content }) => content)]
    .flatMap(listOf)
    .filter(block => isObject(block) && block.cache_control !== undefined)
  if (marked.length <= MOST) return { ...body, messages }
  const spare = new Set(marked.slice(0, -MOST))
  const thinned = (content: unknown): unknown =>
    Array.isArray(content) ? content.map(block => (spare.has(block) ? unmarked(block) : block)) : content
  return {
    ...body,
    ...(body.system !== undefined && { system: thinned(body.system) }),
    messages: messages.map(message => ({ ...message, content: thinned(message.content) })),
  }
}

const unmarked = ({ cache_control: _, ...block }: JsonObject): JsonObject => block
