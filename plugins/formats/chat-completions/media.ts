import type { GatewayError, JsonObject, MediaBlock } from 'deflector'
import { badRequest } from '../body.ts'
import { about, documentText } from '../content.ts'
import { audioFormat, urlOf } from '../media-source.ts'

/** The content parts for a user message. Throws `GatewayError('bad_request')` for what this format has no words for. */
export function encodeMedia(block: MediaBlock): JsonObject[] {
  const { type, source, detail, title, context } = block
  if (type === 'image') {
    if ('fileId' in source) throw unsayable('an image by file id')
    return [{ type: 'image_url', image_url: { url: urlOf(source), ...detailOf(detail) } }]
  }
  if (type === 'audio') {
    if (!('data' in source)) throw unsayable('audio that is not inline')
    return [{ type: 'input_audio', input_audio: { data: source.data, format: audioFormat(source.mediaType) } }]
  }
  if ('fileId' in source)
    return [...about(title, context).map(textPart), { type: 'file', file: { file_id: source.fileId } }]
  if ('url' in source) throw unsayable('a document by URL')
  if (source.mediaType.startsWith('text/')) return [textPart(documentText(block, source.data))]
  const file = { filename: title ?? 'document.pdf', file_data: urlOf(source) }
  return [...about(context).map(textPart), { type: 'file', file }]
}

/** Other formats have more words. */
function detailOf(asked: string | undefined): JsonObject {
  const detail = asked === 'original' ? 'high' : asked
  return detail === 'auto' || detail === 'low' || detail === 'high' ? { detail } : {}
}

export const textPart = (text: string): JsonObject => ({ type: 'text', text })

const unsayable = (what: string): GatewayError =>
  badRequest('messages', `${what} cannot be sent in the chat-completions format`)
