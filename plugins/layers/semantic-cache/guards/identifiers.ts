import type { Token } from '../tokens.ts'
import type { Guard } from './guard.ts'

/**
 * Identifiers, paths, flags, versions, file names and variables will stand in the answer, so they must stand in both
 * prompts. Case is compared only in flags (`-r`, `-R`), variables and escapes; people write the rest as they like.
 */
export const identifiers: Guard = (a, b) => missing(a, b) ?? missing(b, a)

function missing(a: readonly Token[], b: readonly Token[]): string | undefined {
  const there = new Set(b.flatMap(one => (one.kind === 'quoted' ? [one.text, ...one.text.split(/\s+/)] : [one.text])))
  return a.some(one => one.kind === 'code' && !there.has(one.text)) ? 'identifiers' : undefined
}

/** Operators, signs and pictures: `a + b` is not `a - b`. What asks for the sum says nothing: `2 + 2 =`. */
export const symbols: Guard = (a, b) => (signs(a) === signs(b) ? undefined : 'symbols')

const signs = (tokens: readonly Token[]): string =>
  tokens
    .flatMap(({ kind, text }, i) =>
      kind === 'symbol' && (i < tokens.length - 1 || text !== '=') ? [text, operand(tokens[i + 1])] : [],
    )
    .join(' ')

/** `x = a` is not `x = b`: a letter or a short name behind a sign. */
const operand = (one: Token | undefined): string =>
  one?.kind === 'word' && one.text.length === 1 && one.text !== 'i' ? one.text : ''
