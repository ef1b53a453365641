import { type Block, isObject } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { marked } from '../cache-mark.ts'
import { contentBlocks, resultBlocks, type Shown, textBlocks } from '../content.ts'
import { exactJson } from '../exact-json.ts'
import { audioSource, fileSource, sourceOfUrl } from '../media-source.ts'
import { sentBack } from '../signature.ts'

const text = z.object({ text: z.string() })
const url = z.union([z.string(), z.object({ url: z.string(), detail: optional(z.string()) })], 'must hold a URL')
const image = z.object({ image_url: url, detail: optional(z.string()) })
const audio = z.object({ input_audio: z.object({ data: z.string(), format: z.string() }) })
const file = z.object({
  file: z.object({ file_id: optional(z.string()), file_data: optional(z.string()), filename: optional(z.string()) }),
})
const refusal = z.object({ refusal: z.string() })
const toolUse = z.object({ id: z.string(), name: z.string(), input: z.unknown() })
const toolResult = z.object({ tool_use_id: z.string(), content: z.unknown(), is_error: optional(z.boolean()) })
const thinking = z.object({ thinking: z.string(), signature: optional(z.string()) })
const foreignImage = z.object({
  source: z.union(
    [
      z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
      z.object({ type: z.literal('url'), url: z.string() }),
    ],
    'must be base64 or url',
  ),
})

/**
 * The blocks of a message's `content`. Some clients put blocks of the messages format into bodies of this one
 * (Cursor does with tool calls and results), so those are understood too.
 */
export const decodeContent = (content: unknown, at: string): Block[] =>
  contentBlocks(content, at, (part, where) => marked(decodePart(part, where), part))

export const decodeResult = (content: unknown, at: string): Shown[] => resultBlocks(decodeContent(content, at), at)

function decodePart(part: unknown, at: string): Block[] {
  if (typeof part === 'string') return textBlocks(part)
  if (!isObject(part)) throw badRequest(at, 'must be an object')
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return textBlocks(checked(text, part, at).text)
    case 'image_url':
    case 'input_image': {
      const given = checked(image, part, at)
      const { url, detail = given.detail } =
        typeof given.image_url === 'string' ? { url: given.image_url } : given.image_url
      return [{ type: 'image', source: sourceOfUrl(url), ...(detail !== undefined && { detail }) }]
    }
    case 'input_audio': {
      const { data, format } = checked(audio, part, at).input_audio
      return [{ type: 'audio', source: audioSource(data, format) }]
    }
    case 'file': {
      const { file_id, file_data, filename } = checked(file, part, at).file
      const title = filename === undefined ? {} : { title: filename }
      if (file_data !== undefined) return [{ type: 'document', source: fileSource(file_data), ...title }]
      if (file_id !== undefined) return [{ type: 'document', source: { fileId: file_id }, ...title }]
      throw badRequest(`${at}.file`, 'must hold file_data or file_id')
    }
    case 'refusal':
      return [{ type: 'refusal', text: checked(refusal, part, at).refusal }]
    case 'tool_use': {
      const { id, name, input } = checked(toolUse, part, at)
      return [{ type: 'tool_call', id, name, args: exactJson(input ?? {}) }]
    }
    case 'tool_result': {
      const { tool_use_id: id, content, is_error } = checked(toolResult, part, at)
      return [{ type: 'tool_result', id, blocks: decodeResult(content, `${at}.content`), isError: is_error ?? false }]
    }
    case 'thinking': {
      const { thinking: said, signature } = checked(thinking, part, at)
      return [{ type: 'reasoning', text: said, ...(signature && sentBack('messages', signature)) }]
    }
    case 'image': {
      const { source } = checked(foreignImage, part, at)
      const held = source.type === 'url' ? { url: source.url } : { data: source.data, mediaType: source.media_type }
      return [{ type: 'image', source: held }]
    }
    default:
      throw badRequest(`${at}.type`, `a part of type ${String(part.type).slice(0, 40)} cannot be translated`)
  }
}
