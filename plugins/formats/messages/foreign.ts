import { type Foreign, isObject, type JsonObject, type JsonPath } from 'deflector'
import { type IsOthers, isOwn } from '../signature.ts'
import { isForeignCitation } from './citations.ts'

/**
 * What this format's own vendor would refuse: reasoning whose proof is empty or another vendor's, and citations of pages
 * that another vendor found. They come back from a client that was shown the answer of a fallback. A message of nothing else goes whole, as an empty one is refused too.
 */
export function foreign(body: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const parts: JsonPath[] = []
  let isLoopBroken = false
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
    const keepsReasoning = blocks.some((block, place) => isReasoning(block) && !places.includes(place))
    isLoopBroken = at === messages.length - 2 && !keepsReasoning && hasResults(messages[at + 1])
  }
  if (parts.length === 0) return undefined
  // A tool loop that began without reasoning cannot go on with a budget for it.
  const stopsThinking = isLoopBroken && isObject(body.thinking) && body.thinking.type === 'enabled'
  return { parts: stopsThinking ? [...parts, ['thinking']] : parts }
}

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
