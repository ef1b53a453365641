/** Fields of records that hold a secret. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['key', 'api_key'])

/** Shorter ones would be guessed from their ends. */
const SHORTEST = 16

/** First four, ellipsis, last four; a short secret is hidden whole. Of a URL only the credentials are hidden. */
export function maskSecret(secret: string): string {
  if (secret === '') return ''
  const scheme = /^[a-z]+:\/\//i.exec(secret)?.[0]
  if (scheme !== undefined) {
    const at = secret.lastIndexOf('@')
    return at < 0 ? secret : `${scheme}…${secret.slice(at)}`
  }
  return secret.length < SHORTEST ? '…' : `${secret.slice(0, 4)}…${secret.slice(-4)}`
}

/** A copy of a list of records with the secrets inside masked. */
export function maskValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name,
      SECRET_FIELDS.has(name) && typeof inside === 'string' ? maskSecret(inside) : maskValue(inside),
    ]),
  )
}
