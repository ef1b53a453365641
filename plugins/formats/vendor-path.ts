/** Paths and ids that clients name at a vendor: neither may lead to another place, however often somebody decodes them. */

const STATE_ID = /^[\w.:-]{1,256}$/
/** Steps that lead up, also where a server cuts parameters off them. */
const DOTS = /(?:^|\/)\.{1,2}(?:;[^/]*)?(?:\/|$)/
/** A backslash is a slash to some, and a control character ends or vanishes. */
const UNSAFE = /[\\\p{Cc}]/u
const MOST_DECODINGS = 8

/** Can this be the id of something that a vendor holds? */
export const isStateId = (id: string): boolean => STATE_ID.test(id) && !DOTS.test(id)

/** Does this path mean the same to everybody? Escaped slashes do not, as they part an id in two. */
export function isPlainPath(path: string): boolean {
  let text = path
  for (let at = 0; at < MOST_DECODINGS; at++) {
    if (DOTS.test(text) || UNSAFE.test(text)) return false
    const decoded = unescaped(text)
    if (decoded === undefined || decoded.split('/').length !== text.split('/').length) return false
    if (decoded === text) return true
    text = decoded
  }
  return false
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
