import type { MediaBlock } from 'deflector'

/** Where the bytes of an image, a document or a sound are. */
export type Source = MediaBlock['source']

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

/** The reverse of `sourceOfUrl`. */
export const urlOf = (source: Exclude<Source, { readonly fileId: string }>): string =>
  'url' in source ? source.url : `data:${source.mediaType};base64,${source.data}`

export const audioSource = (data: string, format: string): Source => ({
  data,
  mediaType: AUDIO_TYPES[format] ?? `audio/${format}`,
})

/** The word for a sound's type where a dialect wants `mp3` or `wav`. */
export const audioFormat = (mediaType: string): string =>
  /mpeg|mp3/.test(mediaType) ? 'mp3' : mediaType.replace(/^audio\/(x-)?/, '')

/** A file's data is a data URL, or bare base64 of a PDF. */
export const fileSource = (data: string): Source =>
  data.startsWith('data:') ? sourceOfUrl(data) : { data, mediaType: 'application/pdf' }
