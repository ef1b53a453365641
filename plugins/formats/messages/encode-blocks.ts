import type { Block, JsonObject, MediaBlock, ReasoningBlock, ToolResultBlock } from 'deflector'
import { argsObject } from '../args-object.ts'
import { badRequest } from '../body.ts'
import { controlOf } from '../cache-mark.ts'
import { asFunctionCall } from '../freeform.ts'
import { isOwn } from '../signature.ts'
import { wireId } from './ids.ts'

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** One block as this format writes it; `undefined` for what it refuses or has no use for. */
function writeBlock(block: Block): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text, ...controlOf(block.cacheMark) }
    case 'refusal':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text }
    case 'image':
    case 'document':
    case 'audio':
      return { ...writeMedia(block), ...controlOf(block.cacheMark) }
    case 'reasoning':
      return writeReasoning(block)
    case 'tool_call':
      return { type: 'tool_use', id: wireId(block.id), name: block.name, input: argsObject(asFunctionCall(block).args) }
    case 'tool_result':
      return writeResult(block)
    case 'opaque':
      return block.format === 'messages' ? block.value : undefined
  }
}

/** What this format can say of these blocks. */
export const writeBlocks = (blocks: readonly Block[]): JsonObject[] =>
  blocks.map(writeBlock).filter(block => block !== undefined)

/** Reasoning without its vendor's proof is refused there, and so is another vendor's: it is left out. */
function writeReasoning({ text, signature, redacted, origin }: ReasoningBlock): JsonObject | undefined {
  if (!isOwn('messages', redacted ?? signature, origin)) return undefined
  return redacted === undefined
    ? { type: 'thinking', thinking: text, signature }
    : { type: 'redacted_thinking', data: redacted }
}

/** A mark inside is the result's: it ends there, and the four that the vendor takes are few. */
function writeResult({ id, blocks, isError }: ToolResultBlock): JsonObject {
  const marks = blocks.flatMap(({ cacheMark }) => cacheMark ?? [])
  return {
    type: 'tool_result',
    tool_use_id: wireId(id),
    content: plain(writeBlocks(blocks.map(({ cacheMark: _, ...block }) => block))),
    ...(isError && { is_error: true }),
    ...controlOf(marks.at(-1)),
  }
}

/** A single text without a mark as a string, nothing as the empty one. */
export function plain(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only, ...others] = blocks
  if (!only) return ''
  const isPlain = others.length === 0 && only.type === 'text' && only.cache_control === undefined
  return isPlain && typeof only.text === 'string' ? only.text : blocks
}

function writeMedia({ type, source, title, context }: MediaBlock): JsonObject {
  if (type === 'audio') throw badRequest('messages', 'this model takes no audio')
  const said = { ...(title !== undefined && { title }), ...(context !== undefined && { context }) }
  const rest = type === 'document' ? said : {}
  if ('url' in source) return { type, source: { type: 'url', url: source.url }, ...rest }
  if ('fileId' in source) return { type, source: { type: 'file', file_id: source.fileId }, ...rest }
  const { data } = source
  if (type === 'image') {
    const media_type = imageType(data) ?? source.mediaType
    if (!IMAGES.has(media_type)) throw badRequest('messages', 'an image must be jpeg, png, gif or webp')
    return { type, source: { type: 'base64', media_type, data } }
  }
  if (source.mediaType === 'application/pdf') {
    return { type, source: { type: 'base64', media_type: source.mediaType, data }, ...rest }
  }
  if (source.mediaType.startsWith('text/') || source.mediaType === 'application/json') {
    const text = Buffer.from(data, 'base64').toString('utf8')
    return { type, source: { type: 'text', media_type: 'text/plain', data: text }, ...rest }
  }
  throw badRequest('messages', 'a document must be a PDF or text')
}

/** The vendor refuses an image whose bytes are not what the label says, so the bytes decide. */
function imageType(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG')) return 'image/png'
  if (head.startsWith('GIF8')) return 'image/gif'
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp'
  return undefined
}
