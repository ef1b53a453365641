import type { Call } from 'deflector'
import { withMembers } from './other-call.ts'

/** Where the vendor takes the pieces of a file and answers for them, told when an upload begins. */
export const UPLOAD_URLS: ReadonlySet<string> = new Set(['x-goog-upload-url', 'x-goog-upload-control-url'])

/**
 * The call of a client that is told to send the pieces of its file to us: the vendor's own address takes no key of ours,
 * and would have what it gets unseen. Libraries send the pieces without a key, so the address has the client's own.
 */
export function rehomed(call: Call): Call {
  const { host } = call.headers
  if (host === undefined) return call
  const scheme = call.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const key = call.headers['x-goog-api-key'] ?? call.query.get('key')
  const send: Call['send'] = (status, headers, body) => {
    const here: Record<string, string> = {}
    for (const name of UPLOAD_URLS) {
      const given = headers[name]
      if (given === undefined) continue
      const { pathname, search } = new URL(given)
      const url = new URL(`${scheme}://${host}${pathname}${search}`)
      if (key?.trim()) url.searchParams.set('key', key)
      here[name] = url.href
    }
    call.send(status, { ...headers, ...here }, body)
  }
  return withMembers(call, { send })
}
