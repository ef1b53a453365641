/**
 * The path that a request means: query, origin and the slash at its end off, doubled slashes and a doubled version
 * understood as one.
 */
export function pathOf(url: string): string {
  const target = url.startsWith('/') ? url : withoutOrigin(url)
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  // A client whose base URL ends in `/` or `/v1` puts its own `/v1` behind it, and so with `/v1beta`.
  // A colon means itself in a path; some clients escape it all the same.
  const meant = path
    .replace(/%3a/gi, ':')
    .replace(/\/{2,}/g, '/')
    .replace(/^(\/v1|\/v1beta)(?=\1(\/|$))/, '')
  return bare(meant)
}

/** A path without the slash at its end. */
export const bare = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** A path as a message repeats it. */
export const short = (path: string): string => (path.length > 120 ? `${path.slice(0, 120)}…` : path)

/** What stands behind the question mark, without it. */
export function queryOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? '' : url.slice(query + 1)
}

/** A proxy asks in absolute form: `GET http://host/path`. */
function withoutOrigin(url: string): string {
  const match = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)
  return match ? match[1] || '/' : url
}
