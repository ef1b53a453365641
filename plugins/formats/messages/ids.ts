/** What this format takes as a tool call's id. */
const LEGAL = /^[A-Za-z0-9_-]+$/
const ESCAPED = 'id64_'

/**
 * A tool call id in letters that this format allows. Another vendor's id (`functions.weather:0`) is escaped, always in
 * the same way, so that a cached prefix stays the same on every turn and `canonicalId` finds the original again.
 */
export function wireId(id: string): string {
  if (LEGAL.test(id) && !id.startsWith(ESCAPED)) return id
  return ESCAPED + Buffer.from(id, 'utf8').toString('base64url')
}

/** The id that `wireId` was given. */
export function canonicalId(id: string): string {
  if (!id.startsWith(ESCAPED)) return id
  const original = Buffer.from(id.slice(ESCAPED.length), 'base64url').toString('utf8')
  return wireId(original) === id ? original : id
}
