import { type ProviderCall, ProviderError } from 'deflector'
import { isSecretName } from 'deflector/formats/client-headers'
import { UPLOAD_URLS } from 'deflector/formats/generate-content'
import { passOf } from 'deflector/formats/pass-through'
import type { ReplyHeaders } from 'deflector/http-provider'
import { isBelow } from '../upstream/url.ts'

/** What a client tells of the pieces of a file, and what the vendor says of those that it has. */
const UPLOAD = /^x-goog-upload-/
const STATE = new Set(['x-goog-upload-status', 'x-goog-upload-chunk-granularity', 'x-goog-upload-size-received'])

export const PASSED = passOf('generate-content')

/** The headers of an upload, which begins with what the file is and goes on with where each piece belongs. */
export function uploadHeaders({ prompt, headers }: ProviderCall): Record<string, string> {
  const said: Record<string, string> = {}
  if (prompt.operation !== PASSED) return said
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && UPLOAD.test(name)) said[name] = value
  }
  return said
}

/**
 * The same of a reply. The vendor says where to send the pieces, and may repeat a key there: it is left out. An address
 * that is not the vendor's own is refused, as the pieces go there by way of us.
 */
export function uploadReply(headers: ReplyHeaders, base: URL): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    if (UPLOAD_URLS.has(name)) shown[name] = uploadUrl(value, base)
    else if (STATE.has(name)) shown[name] = value
  }
  return shown
}

function uploadUrl(given: string, base: URL): string {
  const root = base.pathname.replace(/\/$/, '')
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !isBelow(url, new URL(`${root}/upload`, base)))
    throw new ProviderError('protocol', 'the vendor takes uploads at an address that is not its own')
  for (const name of [...url.searchParams.keys()]) if (isSecretName(name)) url.searchParams.delete(name)
  url.pathname = url.pathname.slice(root.length)
  return url.href
}
