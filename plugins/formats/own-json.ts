import { isIP } from 'node:net'
import { GatewayError } from 'deflector'

/**
 * Every page in a browser may post text to this machine without asking; JSON it may not, and its `Origin` gives it away.
 * Throws `forbidden` for a page of another origin and `unsupported_media` for what is not sent as JSON. `what` ends the
 * sentence "pages of other origins may not ...".
 */
export function refusePages(headers: Readonly<Record<string, string | undefined>>, what: string): void {
  const { origin, host, 'content-type': type = '' } = headers
  if (origin !== undefined && (!isOwn(origin, host) || isPointed(headers)))
    throw new GatewayError('forbidden', `pages of other origins may not ${what}`)
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new GatewayError('unsupported_media', 'the body must be sent with content-type: application/json')
}

/**
 * Anybody can point a name of theirs at this machine, and their page is then of the origin that it asks. An address
 * cannot be pointed, a loopback name is nobody's, and who sends a key was given it here.
 */
function isPointed({
  host = '',
  authorization,
  'x-api-key': key,
}: Readonly<Record<string, string | undefined>>): boolean {
  if (authorization !== undefined || key !== undefined) return false
  const { hostname } = new URL(`http://${host}`)
  return !isIP(hostname.replace(/^\[(.*)\]$/, '$1')) && hostname !== 'localhost' && !hostname.endsWith('.localhost')
}

/** Compared without the scheme, which a proxy that speaks TLS for us changes. */
function isOwn(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false
  const theirs = new URL(origin)
  const ours = `${theirs.protocol}//${host}`
  return theirs.host !== '' && URL.canParse(ours) && new URL(ours).host === theirs.host
}
