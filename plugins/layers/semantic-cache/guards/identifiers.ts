import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import type { Guard } from './guard.ts'

/**
 * Identifiers, paths, flags, versions, file names and variables will stand in the answer, so they must stand in both
 * prompts. Case is compared only in flags (`-r`, `-R`), variables and escapes; people write the rest as they like.
 */
export const identifiers: Guard = (a, b) => missing(a, b) ?? missing(b, a)

function missing(a: Analysis, b: Analysis): string | undefined {
  const wanted = codes(a)
  if (wanted.length === 0) return undefined
  const there = saidIn(b)
  return wanted.every(one => there.has(one)) ? undefined : 'identifiers'
}

const codes = fact(({ tokens }) => {
  const found: string[] = []
  for (const { kind, text } of tokens) if (kind === 'code') found.push(text)
  return found
})

/** All pieces, and those of quotations. */
const saidIn = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const { kind, text } of tokens) {
    found.add(text)
    if (kind === 'quoted') for (const one of text.split(/\s+/)) found.add(one)
  }
  return found
})

/** Operators, signs and pictures: `a + b` is not `a - b`. What asks for the sum says nothing: `2 + 2 =`. */
export const symbols: Guard = (a, b) => (signs(a) === signs(b) ? undefined : 'symbols')

const signs = fact(({ tokens }) => {
  const found: string[] = []
  for (const [i, { kind, text }] of tokens.entries())
    if (kind === 'symbol' && (i < tokens.length - 1 || text !== '=')) found.push(text, operand(tokens[i + 1]))
  return found.join(' ')
})

/** `x = a` is not `x = b`: a letter or a short name behind a sign. */
const operand = (one: Token | undefined): string =>
  one?.kind === 'word' && one.text.length === 1 && one.text !== 'i' ? one.text : ''
