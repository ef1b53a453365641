/**
 * Proofs of reasoning on their way through clients of other dialects. A client carries a signature back with its history,
 * and only the vendor that made it takes it. So what is shown to a foreign client says which dialect it belongs to.
 */

/** A signature, and the dialect of the vendor that made it. */
export interface Signed {
  readonly origin: string
  readonly signature: string
}

/** Did another vendor of the same dialect make this proof? */
export type IsOthers = (proof: string) => boolean

/** Its length is divisible by three: encoded it is always the same text, and nothing of what follows is in it. */
const MARK = btoa('deflector01:')

/** The signature for a client of another dialect. It is base64, because some dialects have bytes in that place. */
export const wrap = (origin: string, signature: string): string =>
  MARK + Buffer.from(`${origin}:${signature}`).toString('base64')

/** What `wrap` was given; `undefined` for a signature that came from a vendor as it is. */
export function unwrap(text: string): Signed | undefined {
  if (!isWrapped(text)) return undefined
  const inner = Buffer.from(text.slice(MARK.length), 'base64').toString('utf8')
  const colon = inner.indexOf(':')
  return colon < 0 ? undefined : { origin: inner.slice(0, colon), signature: inner.slice(colon + 1) }
}

/** Did `wrap` make it? No vendor ever gets such a one. */
export const isWrapped = (text: string): boolean => text.startsWith(MARK)

/** A signature as a client of `own` reads it: its own vendor's as it is, every other one wrapped. */
export const shownTo = (own: string, signature: string, origin = own): string =>
  origin === own ? signature : wrap(origin, signature)

/** A signature that a client of `own` sent back. One that is not wrapped is of the client's own dialect. */
export const sentBack = (own: string, text: string): Signed => unwrap(text) ?? { origin: own, signature: text }

/** May a vendor of `own` get this signature? One without an origin is the vendor's own. */
export const isOwn = (own: string, signature: string | undefined, origin = own): boolean =>
  origin === own && signature !== undefined && signature !== '' && !isWrapped(signature)
