import { ENGLISH } from './function-words.ts'
import { nameOf } from './names.ts'
import type { Token } from './token.ts'

/** Does the case of the word at `i` say what it is? */
export type SaysCase = (i: number) => boolean

/** In their case alone these differ: megabits from megabytes, milliwatts from megawatts. */
const UNIT = /^(?:[KMGT]i?b(?:ps|it|its)?|[kKMGTm](?:W|Wh|V|VA|A|Ah|Hz|Pa|J|N|eV|ol)|d[BL]|p[Hh]|m[wvajn])$|^M[WVAJN]$/
/** Words of fewer letters are as often a name as they are a word: `RAM`, `Pat`. */
export const SHORT = 4
/** Pronouns that are names too: of a country, a trade and an office. */
export const NAMED: ReadonlySet<string> = new Set(['us', 'it', 'who'])

/**
 * `RAM` is not `ram`, nor `IT` `it`: capitals of a word of less than four letters count. Those of a longer word do not, nor
 * those of grammar, of the first letter of a sentence or a title, of a prompt in capitals, and of a well-known name (`PDF`).
 */
export function saysCaseIn(tokens: readonly Token[]): SaysCase {
  let known: 'shouted' | 'title' | 'plain' | undefined
  const style = (): typeof known => (known ??= styleOf(tokens))
  return i => {
    const { kind, raw = '', text = '' } = tokens[i] ?? {}
    if (kind !== 'word' || raw === text || raw === '' || text === "'s") return false
    if (raw.length === 1)
      return text !== 'i' && (text !== 'a' || (i > 0 && (i === tokens.length - 1 || style() === 'plain')))
    if (tokens[i - 1]?.kind === 'number' && UNIT.test(raw)) return true
    if (text.length >= SHORT || (ENGLISH.has(text) && !NAMED.has(text)) || isKnown(raw, text)) return false
    if (style() === 'shouted') return false
    return /\p{L}\p{Lu}/u.test(raw) || (!isStart(tokens, i) && style() === 'plain')
  }
}

/** `PDF`, and what begins small as no sentence does: `iOS`. */
const isKnown = (raw: string, text: string): boolean => nameOf(text)?.everyday === false || /^\p{Ll}/u.test(raw)

export const isStart = (tokens: readonly Token[], i: number): boolean =>
  i === 0 || /[.!?:\n"]/.test(tokens[i]?.gap ?? '')

/** So many longer words in capitals are a sentence. */
const MANY = 3
/** Share of the words of a title that have a capital. */
const TITLE = 0.7

/** Most Words Have A Capital, OR ALL LETTERS ARE: then capitals say nothing. Short names alone (`US GDP`) do not shout. */
export function styleOf(tokens: readonly Token[]): 'shouted' | 'title' | 'plain' {
  let words = 0
  let long = 0
  let capital = 0
  let grammar = false
  let small = false
  for (const { kind, raw, text } of tokens) {
    if (kind !== 'word' || raw.length < 2) continue
    words++
    const isPlain = /^[\p{L}\p{M}']+$/u.test(raw)
    if (isPlain && /\p{Ll}/u.test(raw)) small = true
    if (isPlain && text.length >= SHORT) long++
    if (isPlain && ENGLISH.has(text) && !NAMED.has(text)) grammar = true
    if (/^\p{Lu}/u.test(raw)) capital++
  }
  if (!small && (long >= MANY || (long > 0 && grammar) || (words > 1 && grammar))) return 'shouted'
  return capital > 1 && capital / words > TITLE ? 'title' : 'plain'
}
