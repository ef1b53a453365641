import { type Cancellation, isProviderError, ProviderError } from 'deflector'

interface Transport {
  /** Who was called (`host:port`), where the error names no address. */
  readonly peer?: string
  /** See `ProviderErrorDetails`. */
  readonly unsent?: boolean
}

/** What went wrong below the vendor's own protocol. */
export function transportFailure(
  error: unknown,
  cancellation: Cancellation,
  { peer, unsent = false }: Transport = {},
): ProviderError {
  if (isProviderError(error)) return error
  if (cancellation.cancelled) {
    if (isProviderError(cancellation.reason)) return cancellation.reason
    return new ProviderError('timeout', 'the call was given up before the provider had answered', { cause: error })
  }
  const code = codeOf(error)
  const detail = detailOf(error, peer)
  const details = { cause: error, unsent, ...(detail !== '' && { detail }) }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new ProviderError('timeout', `the provider could not be reached in time${inBrackets(code)}`, details)
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    const what = 'the key, or a header of the options, has a character that no header may have'
    return new ProviderError('credential', what, details)
  }
  if (code.startsWith('HPE_') || code.startsWith('Z_') || code.startsWith('ERR__ERROR')) {
    return new ProviderError('protocol', `the answer could not be read${inBrackets(code)}`, details)
  }
  return new ProviderError('network', `the connection failed${inBrackets(code)}`, details)
}

/** Did the line break, or the body end before its time? What was read until then is as it was sent. */
export const isCutOff = (error: unknown): error is ProviderError =>
  isProviderError(error) && (error.reason === 'network' || codeOf(error.cause) === 'Z_BUF_ERROR')

/** The address is for the log: a client gets the message. */
const inBrackets = (code: string): string => (code === '' ? '' : ` (${code})`)

/** Only what looks like a system's code: anything else could hold what the client or the vendor wrote. */
function codeOf(error: unknown): string {
  const code = fieldOf(error, 'code')
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,60}$/.test(code) ? code : ''
}

/** `ECONNREFUSED 127.0.0.1:9999`. A name with several addresses fails once for each; all of them are named. */
function detailOf(error: unknown, peer: string | undefined): string {
  const inner = fieldOf(error, 'errors')
  const parts = Array.isArray(inner) && inner.length > 0 ? inner : [error]
  const code = codeOf(error) || codeOf(parts[0])
  if (code === '') return ''
  const places = parts.map(placeOf).filter(place => place !== undefined)
  return [code, [...new Set(places)].join(', ') || peer].filter(Boolean).join(' ')
}

/** Node names the address of a connection that was never there, undici the socket of one that broke. */
function placeOf(error: unknown): string | undefined {
  const socket = fieldOf(error, 'socket')
  const address = fieldOf(error, 'address') ?? fieldOf(socket, 'remoteAddress')
  const port = fieldOf(error, 'port') ?? fieldOf(socket, 'remotePort')
  if (typeof address !== 'string' || typeof port !== 'number') return undefined
  return `${address.includes(':') ? `[${address}]` : address}:${port}`
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
