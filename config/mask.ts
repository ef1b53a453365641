import { maskedKey } from '../core/masked-key.ts'

/** Fields of records that hold a secret. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['key', 'api_key', 'client_secret'])

export const isSecretField = (name: string): boolean => SECRET_FIELDS.has(name)

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** See `maskedKey`. URLs are masked by `maskUrl`. */
export function maskSecret(secret: string): string {
  if (secret === '') return ''
  if (SCHEME.test(secret)) return maskUrl(secret)
  return maskedKey(secret)
}

/**
 * A URL without its credentials, the values of its query and its fragment. A malformed URL hides more rather than less:
 * the last `@` counts, because an unencoded password may hold `/` and `@`. The scheme may be missing.
 */
export function maskUrl(url: string): string {
  const scheme = SCHEME.exec(url)?.[0] ?? ''
  const rest = url.slice(scheme.length)
  const end = rest.search(/[?#]/)
  const [place, tail] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)]
  const at = place.lastIndexOf('@')
  // An unencoded `?` in the password: its first part looks like host and port.
  if (at < 0 && tail.includes('@') && !URL.canParse(url)) return `${scheme}…`
  const [query = '', ...fragment] = tail.split('#')
  const values = query.replace(
    /([?&])([^=&]*)(=?)([^&]*)/g,
    (_, mark: string, name: string, is: string, value: string) =>
      is === '' ? mark + (name && '…') : `${mark}${name}=${value && '…'}`,
  )
  return scheme + (at < 0 ? place : `…${place.slice(at)}`) + values + (fragment.length > 0 ? '#…' : '')
}

/** A copy with every URL masked, and with `secret` also the fields of records that hold one. */
export function maskValue(value: unknown, secret: boolean): unknown {
  if (typeof value === 'string') return SCHEME.test(value) ? maskUrl(value) : value
  if (Array.isArray(value)) return value.map(one => maskValue(one, secret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name,
      secret && SECRET_FIELDS.has(name) && typeof inside === 'string' ? maskSecret(inside) : maskValue(inside, secret),
    ]),
  )
}
