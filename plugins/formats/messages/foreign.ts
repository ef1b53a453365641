import { type Foreign, isObject, type JsonObject, type JsonPath } from 'deflector'
import { type IsOthers, isOwn } from '../signature.ts'
import { isForeignCitation } from './citations.ts'
import { loopStart } from './tool-loop.ts'

/**
 * What this format's own vendor would refuse: reasoning whose proof is empty or another vendor's, and citations of pages
 * that another vendor found. They come back from a client that was shown the answer of a fallback. A message of nothing
 * else goes whole, as an empty one is refused too. A tool loop that began without the vendor's own reasoning goes on
 * without a budget for it.
 */
export function foreign(body: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const parts: JsonPath[] = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) continue
    const blocks: unknown[] = message.content
    const places = [...blocks.keys()].filter(place => isForeign(blocks[place], isOthers))
    const cited = [...blocks.keys()].filter(place => citesForeign(blocks[place]))
    parts.push(...cited.map(place => ['messages', at, 'content', place, 'citations']))
    if (places.length === 0) continue
    if (places.length === blocks.length) parts.push(['messages', at])
    else parts.push(...places.map(place => ['messages', at, 'content', place]))
  }
  if (isObject(body.thinking) && body.thinking.type === 'enabled' && isBrokenLoop(messages, isOthers))
    parts.push(['thinking'], ...needsThinking(body))
  return parts.length === 0 ? undefined : { parts }
}

/** Is there an open tool loop that did not begin with reasoning which its vendor takes back? */
export function isBrokenLoop(messages: readonly unknown[], isOthers: IsOthers = () => false): boolean {
  const first = loopStart(messages, isAssistants, hasResults)
  if (!isObject(first)) return false
  const { content } = first
  return !(Array.isArray(content) && content.some(block => isReasoning(block) && !isForeign(block, isOthers)))
}

/** Edits of the context that the vendor refuses while thinking is off: https://github.com/anthropics/claude-code/issues/11971 */
export function needsThinking({ context_management: context }: JsonObject): JsonPath[] {
  const edits: unknown[] = isObject(context) && Array.isArray(context.edits) ? context.edits : []
  const places = [...edits.keys()].filter(place => clearsThinking(edits[place]))
  if (places.length > 0 && places.length === edits.length) return [['context_management']]
  return places.map(place => ['context_management', 'edits', place])
}

const clearsThinking = (edit: unknown): boolean =>
  isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('clear_thinking_')

const isAssistants = (message: unknown): boolean => isObject(message) && message.role === 'assistant'

const isReasoning = (block: unknown): block is JsonObject =>
  isObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking')

function isForeign(block: unknown, isOthers: IsOthers): boolean {
  if (!isReasoning(block)) return false
  const proof = block.type === 'thinking' ? block.signature : block.data
  // What is no text is for the vendor to judge.
  return (
    proof === undefined ||
    proof === null ||
    (typeof proof === 'string' && (!isOwn('messages', proof) || isOthers(proof)))
  )
}

const citesForeign = (block: unknown): boolean =>
  isObject(block) && Array.isArray(block.citations) && block.citations.some(isForeignCitation)

const hasResults = (message: unknown): boolean =>
  isObject(message) &&
  Array.isArray(message.content) &&
  message.content.some(block => isObject(block) && block.type === 'tool_result')
