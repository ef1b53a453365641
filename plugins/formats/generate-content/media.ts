import type { JsonObject, MediaBlock } from 'deflector'
import { z } from 'zod'
import { badRequest, optional } from '../body.ts'
import { about, documentText } from '../content.ts'
import { fields } from './fields.ts'
import type { ModelRules } from './model-rules.ts'
import { fileIn } from './state.ts'

const inline = z.looseObject({ data: z.string(), mimeType: optional(z.string()), displayName: optional(z.string()) })
const file = z.looseObject({ fileUri: z.string(), mimeType: optional(z.string()), displayName: optional(z.string()) })

/** `inlineData` of a part; `undefined` for what only a vendor of this format takes. */
export function readInline(value: unknown, at: string): MediaBlock | undefined {
  const { data, mimeType = '', displayName } = fields(inline, value, at)
  return media(mimeType, { data: standard(data), mediaType: mimeType }, displayName)
}

/** `fileData` of a part: an address, or the vendor's name for a file that was uploaded to it. */
export function readFile(value: unknown, at: string): MediaBlock | undefined {
  const { fileUri, mimeType = typeOf(fileUri) ?? '', displayName } = fields(file, value, at)
  return media(mimeType, fileIn(fileUri) === undefined ? { url: fileUri } : { fileId: fileUri }, displayName)
}

function media(mimeType: string, source: MediaBlock['source'], title: string | undefined): MediaBlock | undefined {
  const [kind] = mimeType.split('/')
  if (kind === 'video') return undefined
  const type = kind === 'image' || kind === 'audio' ? kind : 'document'
  return { type, source, ...(title !== undefined && { title }) }
}

/** Bytes may come in the alphabet for URLs, which other vendors refuse. */
const standard = (base64: string): string =>
  /[-_]/.test(base64) ? base64.replaceAll('-', '+').replaceAll('_', '/') : base64

/** The part for a vendor of this format. Throws `GatewayError('bad_request')` for what the model cannot be given. */
export function writeMedia(block: MediaBlock, rules: ModelRules): JsonObject {
  const { type, source } = block
  const resolution = rules.partResolution ? resolutionOf(block) : {}
  if ('data' in source) {
    if (isTextDocument(block)) return { text: documentText(block, source.data) }
    return { inlineData: { mimeType: mimeOf(source.mediaType, type), data: source.data }, ...resolution }
  }
  if ('fileId' in source) {
    if (fileIn(source.fileId) === undefined)
      throw badRequest('messages', 'a file id of another vendor means nothing here')
    return { fileData: { fileUri: source.fileId }, ...resolution }
  }
  if (!rules.readsUrls) throw badRequest('messages', `this model reads no ${type} by URL; send it inline`)
  const mimeType = typeOf(source.url)
  return { fileData: { fileUri: source.url, ...(mimeType !== undefined && { mimeType }) }, ...resolution }
}

const isText = (mediaType: string): boolean => mediaType.startsWith('text/') || mediaType === 'application/json'

const isTextDocument = ({ type, source }: MediaBlock): boolean =>
  type === 'document' && 'data' in source && isText(source.mediaType)

/** What is said of a document, which has no fields for it here. The part of one that is text says it itself. */
export const wordsOf = (block: MediaBlock): string[] => (isTextDocument(block) ? [] : about(block.title, block.context))

/** The vendor's own names of types that have several. */
const MIME_TYPES: Readonly<Record<string, string>> = { 'audio/mpeg': 'audio/mp3', 'image/jpg': 'image/jpeg' }
const DEFAULT_TYPES = { image: 'image/png', audio: 'audio/wav', document: 'application/pdf' } as const

const mimeOf = (mediaType: string, type: MediaBlock['type']): string =>
  MIME_TYPES[mediaType] ?? (mediaType === '' ? DEFAULT_TYPES[type] : mediaType)

const EXTENSIONS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  html: 'text/html',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** What the end of an address says; `undefined` leaves it to the vendor. */
function typeOf(url: string): string | undefined {
  const extension = /\.(\w+)$/.exec(url.split(/[?#]/)[0] ?? '')?.[1]
  return extension === undefined ? undefined : EXTENSIONS[extension.toLowerCase()]
}

const RESOLUTIONS: Readonly<Record<string, string>> = { low: 'MEDIA_RESOLUTION_LOW', high: 'MEDIA_RESOLUTION_HIGH' }

function resolutionOf({ type, detail }: MediaBlock): JsonObject {
  const level = type === 'image' && detail !== undefined ? RESOLUTIONS[detail] : undefined
  return level === undefined ? {} : { mediaResolution: { level } }
}
