import type { Token } from '../tokens.ts'
import type { Guard } from './guard.ts'

/**
 * Identifiers, paths, flags, versions, file names and variables will stand in the answer, so they must stand in both
 * prompts. Case is compared only where it tells flags apart (`-r`, `-R`); people write the rest as they like.
 */
export const identifiers: Guard = (a, b) => missing(a, b) ?? missing(b, a)

function missing(a: readonly Token[], b: readonly Token[]): string | undefined {
  const there = new Set(
    b.flatMap(one => (one.kind === 'quoted' ? [one.text, ...one.text.split(/\s+/)] : [name(one), one.text])),
  )
  return a.some(one => one.kind === 'code' && !there.has(name(one))) ? 'identifiers' : undefined
}

const name = ({ kind, raw, text }: Token): string => (kind === 'code' && /^-[A-Za-z]+$/.test(raw) ? raw : text)

/** Operators and signs: `a + b` is not `a - b`. */
export const symbols: Guard = (a, b) => (signs(a) === signs(b) ? undefined : 'symbols')

const signs = (tokens: readonly Token[]): string =>
  tokens
    .flatMap(({ kind, text }, i) =>
      kind === 'symbol' && i < tokens.length - 1 && !/\p{Extended_Pictographic}/u.test(text)
        ? [text, operand(tokens[i + 1])]
        : [],
    )
    .join(' ')

/** `x = a` is not `x = b`: a letter or a short name behind a sign. */
const operand = (one: Token | undefined): string =>
  one?.kind === 'word' && one.text.length === 1 && one.text !== 'i' ? one.text : ''
