import type { Call } from 'deflector'

/** Where the vendor takes the pieces of a file, told when an upload begins. */
export const UPLOAD_URL = 'x-goog-upload-url'

/**
 * The call of a client that is told to send the pieces of its file to us: the vendor's own address takes no key of ours,
 * and would have what it gets unseen.
 */
export function rehomed(call: Call): Call {
  const { host } = call.headers
  if (host === undefined) return call
  const scheme = call.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const send: Call['send'] = (status, headers, body) => {
    const given = headers[UPLOAD_URL]
    const there = given === undefined ? undefined : new URL(given)
    const here = there && { [UPLOAD_URL]: `${scheme}://${host}${there.pathname}${there.search}` }
    call.send(status, { ...headers, ...here }, body)
  }
  return new Proxy(call, {
    get(target, name) {
      if (name === 'send') return send
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
