import { extname } from 'node:path'
import type { Call } from 'deflector'
import type { BuiltFile } from './built-files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** The page asks nobody but this gateway, and runs and shows nothing that is not a file of it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Names of these hold a hash of their content. */
const HASHED = /^assets\//
const YEAR = 'public, max-age=31536000, immutable'

export function headersOf(name: string, { tag }: BuiltFile, gzip: boolean): Record<string, string> {
  return {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': HASHED.test(name) ? YEAR : 'no-cache',
    etag: gzip ? tag.replace(/"$/, '-gz"') : tag,
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  }
}

/** Which form the client takes, and whether it has it already. */
export function wants(headers: Call['headers'], { tag, gzipped }: BuiltFile) {
  const { 'accept-encoding': takes = '', 'if-none-match': known = '' } = headers
  const gzip = gzipped !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(takes)
  return { gzip, isCurrent: known.includes(tag.slice(0, -1)) }
}
