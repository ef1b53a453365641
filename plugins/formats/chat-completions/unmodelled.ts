import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from 'deflector'
import { decodeLogprobs, encodeLogprob } from '../logprobs.ts'

/**
 * What of an answer the canonical shape has no place for, each in a few words. Whole answers and streams are read by
 * the same rules: an answer of which a part would be lost is never replayed from its canonical form.
 */

/** Lists beside the choices that are part of what a searching model answers. */
const LISTS = ['citations', 'search_results', 'related_questions', 'images', 'videos'] as const
const PARTS: ReadonlySet<unknown> = new Set(['text', 'refusal', 'thinking'])

/** Of a whole answer's body or of one chunk, without its choices. */
export const lostFromBody = (body: JsonObject): string[] => LISTS.filter(name => isFilled(body[name]))

/** Of one choice. `said` is its message or delta. */
export function lostFromChoice({ logprobs }: JsonObject, said: JsonObject): string[] {
  const { content, tool_calls } = said
  const calls: unknown[] = Array.isArray(tool_calls) ? tool_calls : []
  const lost: readonly (readonly [boolean, string])[] = [
    [hasLogprobs(logprobs) && !isModelled(logprobs), 'log probabilities'],
    [isObject(said.audio), 'audio'],
    [isObject(said.function_call), 'a call in the old form'],
    // Google's proof of its thoughts, which it wants back.
    [[said, ...calls].some(each => isObject(each) && isObject(each.extra_content)), 'extra content'],
    [Array.isArray(content) && content.some(part => isObject(part) && !PARTS.has(part.type)), 'a part of the content'],
    [isObject(said.context) || isFilled(said.citations), 'citations'],
    [isFilled(said.executed_tools), 'tools that the vendor ran'],
  ]
  return lost.flatMap(([is, what]) => (is ? [what] : []))
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

/** Some hosts send the object empty, without being asked for it. */
const hasLogprobs = (logprobs: unknown): logprobs is JsonObject =>
  isObject(logprobs) && Object.values(logprobs).some(isFilled)

/** Would they be written again as they came? */
const isModelled = ({ content, ...others }: JsonObject): boolean =>
  !Object.values(others).some(isFilled) && isDeepStrictEqual(decodeLogprobs(content)?.map(encodeLogprob), content)
