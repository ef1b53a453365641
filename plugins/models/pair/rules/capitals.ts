import { isOfLetters, speaksOfLetters } from '../canonical.ts'
import { type Facts, fact } from '../facts.ts'
import { ENGLISH } from '../function-words.ts'
import { nameOf } from '../names.ts'

/** `md5 of Secret`, `md5 of secret`: where letters are worked on, their case is a part of what is asked. */
export function agreeOnCapitals(a: Facts, b: Facts): boolean {
  const [left, right] = [spellings(a), spellings(b)]
  if (!left || !right) return true
  for (const [text, raws] of left) if ((right.get(text) ?? raws) !== raws) return false
  return true
}

/** Each word in lower case, with the ways it is written; `undefined` where nothing is said of letters. */
const spellings = fact(({ tokens, said }) => {
  if (!speaksOfLetters(tokens)) return undefined
  const found = new Map<string, string>()
  for (const [i, { kind, text, raw }] of said.entries()) {
    const isPlain = kind === 'word' && (isGrammar(text, i, said.length) || nameOf(text)?.everyday === false)
    if (raw === '' || isOfLetters(text) || isPlain || (i === 0 && kind === 'word')) continue
    const bare = kind === 'quoted' ? raw.slice(1, -1).trim() : raw
    const known = found.get(bare.toLowerCase())
    found.set(bare.toLowerCase(), [...new Set([...(known?.split('\n') ?? []), bare])].sort().join('\n'))
  }
  return found
})

/** The last word may be what is worked on, whatever it is. */
const isGrammar = (text: string, i: number, length: number): boolean =>
  text === 'i' || (ENGLISH.has(text) && i < length - 1)
