import type { Token } from '../tokens.ts'

/**
 * Says why the answer to one prompt cannot be the answer to the other, or nothing. A guard reads tokens only: it knows
 * neither cosine nor cache, is the same in both directions, and errs on the side of refusing.
 */
export type Guard = (a: readonly Token[], b: readonly Token[]) => string | undefined

export const sameSet = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean =>
  a.size === b.size && [...a].every(one => b.has(one))

export const words = (tokens: readonly Token[]): string[] =>
  tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text)

export const stems = (tokens: readonly Token[]): Set<string> => new Set(tokens.map(one => one.stem))
