import type { JsonObject, MediaBlock } from 'deflector'
import { GatewayError } from 'deflector'
import { audioFormat, urlOf } from '../media-source.ts'

/** A content part for a user message. Throws `GatewayError('bad_request')` for what this format has no words for. */
export function encodeMedia(block: MediaBlock): JsonObject {
  const { type, source, detail, title } = block
  if (type === 'image') {
    if ('fileId' in source) throw unsayable('an image by file id')
    return { type: 'image_url', image_url: { url: urlOf(source), ...(detail !== undefined && { detail }) } }
  }
  if (type === 'audio') {
    if (!('data' in source)) throw unsayable('audio that is not inline')
    return { type: 'input_audio', input_audio: { data: source.data, format: audioFormat(source.mediaType) } }
  }
  if ('fileId' in source) return { type: 'file', file: { file_id: source.fileId } }
  if ('url' in source) throw unsayable('a document by URL')
  if (source.mediaType.startsWith('text/')) {
    const text = Buffer.from(source.data, 'base64').toString('utf8')
    return { type: 'text', text: title === undefined ? text : `${title}\n\n${text}` }
  }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } }
}

const unsayable = (what: string): GatewayError =>
  new GatewayError('bad_request', `${what} cannot be sent in the chat-completions format`)
