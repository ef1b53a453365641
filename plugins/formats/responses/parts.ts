import { type Block, isObject, type JsonObject, type MediaBlock } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { marked, withBreakpoint } from '../cache-mark.ts'
import { about, contentBlocks, documentText, resultBlocks, type Shown, textBlocks } from '../content.ts'
import { exactJson } from '../exact-json.ts'
import { audioFormat, audioSource, fileSource, sourceOfUrl, urlOf } from '../media-source.ts'

const text = z.object({ text: z.string('must be a string') })
const refusal = z.object({ refusal: z.string('must be a string') })
const url = z.union([z.string(), z.object({ url: z.string() }).transform(given => given.url)])
const image = z.object({ image_url: optional(url), file_id: optional(z.string()), detail: optional(z.string()) })
const file = z.object({
  file_id: optional(z.string()),
  file_data: optional(z.string()),
  file_url: optional(z.string()),
  filename: optional(z.string()),
})
const audio = z.object({ input_audio: z.object({ data: z.string(), format: z.string() }) })

/** The blocks of a message's `content`. */
export const decodeContent = (content: unknown, at: string): Block[] =>
  contentBlocks(content, at, (part, where) => marked(decodePart(part, where), part))

/** What a tool gave back: words and media. */
export function decodeOutput(output: unknown, at: string): Shown[] {
  // Some clients give the value itself, where a text or parts are due.
  if (isObject(output)) return textBlocks(exactJson(output))
  return resultBlocks(decodeContent(output, at), at)
}

function decodePart(part: unknown, at: string): Block[] {
  if (!isObject(part)) throw badRequest(at, 'must be an object')
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
      return textBlocks(checked(text, part, at).text)
    case 'refusal':
      return [{ type: 'refusal', text: checked(refusal, part, at).refusal }]
    case 'input_image':
      return [decodeImage(part, at)]
    case 'input_file':
      return [decodeFile(part, at)]
    case 'input_audio': {
      const { data, format } = checked(audio, part, at).input_audio
      return [{ type: 'audio', source: audioSource(data, format) }]
    }
    default:
      throw badRequest(`${at}.type`, `a part of type ${String(part.type).slice(0, 40)} cannot be translated`)
  }
}

function decodeImage(part: JsonObject, at: string): MediaBlock {
  const { image_url, file_id, detail } = checked(image, part, at)
  const rest = detail === undefined ? {} : { detail }
  if (image_url !== undefined) return { type: 'image', source: sourceOfUrl(image_url), ...rest }
  if (file_id !== undefined) return { type: 'image', source: { fileId: file_id }, ...rest }
  throw badRequest(at, 'must hold image_url or file_id')
}

function decodeFile(part: JsonObject, at: string): MediaBlock {
  const { file_id, file_data, file_url, filename } = checked(file, part, at)
  const title = filename === undefined ? {} : { title: filename }
  if (file_data !== undefined) return { type: 'document', source: fileSource(file_data), ...title }
  if (file_url !== undefined) return { type: 'document', source: { url: file_url }, ...title }
  if (file_id !== undefined) return { type: 'document', source: { fileId: file_id }, ...title }
  throw badRequest(at, 'must hold file_data, file_url or file_id')
}

/** The parts of a user's message or of a tool's output. Throws `bad_request` for what this format has no words for. */
export const encodeParts = (block: Shown): JsonObject[] => withBreakpoint(unmarkedParts(block), block.cacheMark)

function unmarkedParts(block: Shown): JsonObject[] {
  if (block.type === 'text') return [textPart(block.text)]
  const { type, source, detail, title, context } = block
  if (type === 'image') {
    const shown = 'fileId' in source ? { file_id: source.fileId } : { image_url: urlOf(source) }
    return [{ type: 'input_image', ...shown, detail: detail ?? 'auto' }]
  }
  if (type === 'audio') {
    if (!('data' in source))
      throw badRequest('messages', 'audio that is not inline cannot be sent in the responses format')
    return [{ type: 'input_audio', input_audio: { data: source.data, format: audioFormat(source.mediaType) } }]
  }
  const words = about(title, context).map(textPart)
  if ('fileId' in source) return [...words, { type: 'input_file', file_id: source.fileId }]
  if ('url' in source) return [...words, { type: 'input_file', file_url: source.url }]
  if (source.mediaType.startsWith('text/')) return [textPart(documentText(block, source.data))]
  const file = { type: 'input_file', filename: title ?? 'document.pdf', file_data: urlOf(source) }
  return [...about(context).map(textPart), file]
}

export const textPart = (text: string): JsonObject => ({ type: 'input_text', text })
