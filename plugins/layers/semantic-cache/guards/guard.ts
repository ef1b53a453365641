import type { Analysis } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'

/**
 * Says why the answer to one prompt cannot be the answer to the other, or nothing. A guard reads tokens only: it knows
 * neither cosine nor cache, is the same in both directions, and errs on the side of refusing.
 */
export type Guard = (a: Analysis, b: Analysis) => string | undefined

export function sameSet<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  if (a.size !== b.size) return false
  for (const one of a) if (!b.has(one)) return false
  return true
}

/** A plain word that is no grammar. */
export const isContentWord = (one: Token | undefined): boolean => one?.kind === 'word' && !FUNCTION_WORDS.has(one.text)
