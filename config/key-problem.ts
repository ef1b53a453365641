/** Characters of the longest credential: a service account's JSON has some thousand. */
const LONGEST = 64 * 1024

/** Why no vendor can be shown this key in a header, as words behind its name; `undefined` where one can. */
export function keyProblem(key: string): string | undefined {
  const text = key.trim()
  if (text.length > LONGEST) return 'is longer than any key; give the key alone'
  if (isJsonObject(text) || !/[^\x20-\x7e]/.test(text)) return undefined
  return 'has letters or line breaks that no key has, so no vendor can be sent it; give the key as its vendor wrote it'
}

/** Why clients cannot show a gateway key: some send such a letter as UTF-8, some in Latin-1, and some not at all. */
export const gatewayKeyProblem = (key: string): string | undefined =>
  /[^\x20-\x7e]/.test(key.trim())
    ? 'has letters or line breaks that clients cannot send in a header; give one of letters a to z, digits and signs'
    : undefined

/** The credential of a service account, which is never sent as it is. */
export function isJsonObject(text: string): boolean {
  if (!text.startsWith('{')) return false
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
