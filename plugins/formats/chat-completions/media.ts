import type { JsonObject, MediaBlock } from 'deflector'
import { GatewayError } from 'deflector'

type Source = MediaBlock['source']

const AUDIO_TYPES: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' }

/** An `https:` or `data:` URL as a source; data is always base64 afterwards. */
export function sourceOfUrl(url: string): Source {
  if (!url.startsWith('data:')) return { url }
  const comma = url.indexOf(',')
  const [mediaType = '', ...marks] = url.slice(5, Math.max(5, comma)).split(';')
  const data = url.slice(comma + 1)
  const type = mediaType === '' ? 'text/plain' : mediaType
  if (marks.some(mark => mark.trim().toLowerCase() === 'base64')) return { data, mediaType: type }
  return { data: Buffer.from(percentDecoded(data)).toString('base64'), mediaType: type }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const audioSource = (data: string, format: string): Source => ({
  data,
  mediaType: AUDIO_TYPES[format] ?? `audio/${format}`,
})

/** `file_data` is a data URL, or bare base64 of a PDF. */
export const fileSource = (data: string): Source =>
  data.startsWith('data:') ? sourceOfUrl(data) : { data, mediaType: 'application/pdf' }

/** A content part for a user message. Throws `GatewayError('bad_request')` for what this format has no words for. */
export function encodeMedia(block: MediaBlock): JsonObject {
  const { type, source, detail, title } = block
  if (type === 'image') {
    if ('fileId' in source) throw unsayable('an image by file id')
    return { type: 'image_url', image_url: { url: urlOf(source), ...(detail !== undefined && { detail }) } }
  }
  if (type === 'audio') {
    if (!('data' in source)) throw unsayable('audio that is not inline')
    const format = /mpeg|mp3/.test(source.mediaType) ? 'mp3' : source.mediaType.replace(/^audio\/(x-)?/, '')
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  if ('fileId' in source) return { type: 'file', file: { file_id: source.fileId } }
  if ('url' in source) throw unsayable('a document by URL')
  if (source.mediaType.startsWith('text/')) {
    const text = Buffer.from(source.data, 'base64').toString('utf8')
    return { type: 'text', text: title === undefined ? text : `${title}\n\n${text}` }
  }
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } }
}

const urlOf = (source: Exclude<Source, { readonly fileId: string }>): string =>
  'url' in source ? source.url : `data:${source.mediaType};base64,${source.data}`

const unsayable = (what: string): GatewayError =>
  new GatewayError('bad_request', `${what} cannot be sent in the chat-completions format`)
