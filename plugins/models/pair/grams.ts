import type { Token } from './token.ts'

/** What is code, a number or quoted belongs to no language. Words as written: `im` is German, and short for `I'm`. */
export const lettersOf = (tokens: readonly Token[]): string[] =>
  tokens.filter(({ kind, raw }) => kind === 'word' && raw !== '').map(({ raw }) => raw.toLowerCase())

/** The longest run of letters that counts, the bounds of its word included. */
const LONGEST = 5
/** Start and prime of the hash FNV-1a of 32 bits. */
const [START, PRIME] = [0x811c9dc5, 0x01000193]

/**
 * What words consist of: each run of up to five letters, each word, and each two words in their order. Each falls into one
 * of so many buckets, a power of two.
 */
export function eachGram(words: readonly string[], buckets: number, found: (bucket: number) => void): void {
  const mask = buckets - 1
  let before = 0
  for (const word of words) {
    const bound = `<${word}>`
    let whole = START
    for (let at = 0; at < bound.length; at++) {
      whole = hashed(whole, bound.charCodeAt(at))
      let run = START
      for (let end = at; end < bound.length && end < at + LONGEST; end++) {
        run = hashed(run, bound.charCodeAt(end))
        found(folded(run) & mask)
      }
    }
    if (bound.length > LONGEST) found(folded(whole) & mask)
    found(folded(hashed(hashed(before, whole), whole >>> 16)) & mask)
    before = whole
  }
}

const hashed = (hash: number, code: number): number => Math.imul(hash ^ code, PRIME)
/** The low bits of the hash alone would be those of its last letters. */
const folded = (hash: number): number => hash ^ (hash >>> 15)
