import type { Reading } from '../reading.ts'

/**
 * Says why the answer to one prompt cannot be the answer to the other, or nothing. A guard reads tokens only: it knows
 * neither cosine nor cache, is the same in both directions, and errs on the side of refusing.
 */
export type Guard = (a: Reading, b: Reading) => string | undefined

export function sameSet<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  if (a.size !== b.size) return false
  for (const one of a) if (!b.has(one)) return false
  return true
}
