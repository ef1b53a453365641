import { loudness } from './politeness.ts'
import type { Token } from './token.ts'
import { FUNCTION_WORDS } from './words/function-words.ts'
import { nameOf } from './words/names.ts'
import { NAMED, SHORT_WORDS } from './words/short-words.ts'

/** Does the case of the word at `i` say what it is? */
export type SaysCase = (i: number) => boolean

/** In their case alone these differ: megabits from megabytes, milliwatts from megawatts. */
const UNIT = /^(?:[KMGT]i?b(?:ps|it|its)?|[kKMGTm](?:W|Wh|V|VA|A|Ah|Hz|Pa|J|N|eV|ol)|d[BL]|p[Hh]|m[wvajn])$|^M[WVAJN]$/
/** Shorter words are as often a name as they are a word: `RAM`, `Pat`. */
const SHORT = 4
/** No name in capitals is longer. */
const LONG = 6
/** So many longer words in capitals are a sentence. */
const MANY = 3

/**
 * `STEM` is not `stem`, nor `IT` `it`: capitals throughout or within a word always count, and so does the capital of a
 * short word in mid-sentence. The first letter of a longer word, of a sentence and of a word of grammar does not. In a prompt that is shouted, only short names keep their capitals. A well-known name (`JSON`, `GitHub`) is the same
 * in any case.
 */
export function saysCaseIn(tokens: readonly Token[]): SaysCase {
  const loud = loudness(tokens)
  const shouted = shoutedIn(tokens)
  return i => {
    const { kind, raw = '', text = '' } = tokens[i] ?? {}
    if (kind !== 'word' || raw === text || raw === '' || text === "'s") return false
    if (raw.length === 1) return text !== 'i' && (text !== 'a' || (i > 0 && (i === tokens.length - 1 || !loud())))
    if (tokens[i - 1]?.kind === 'number' && UNIT.test(raw)) return true
    if (isKnown(raw, text)) return false
    const short = text.length < SHORT
    const grammar = FUNCTION_WORDS.has(text)
    const plain = grammar || SHORT_WORDS.has(text)
    if (shouted()) return short && !plain
    if (/\p{L}.?\p{Lu}/u.test(raw)) return true
    return short && !isStart(tokens, i) && (!grammar || NAMED.has(text)) && !(plain && loud())
  }
}

/** `JSON`, `PDFs`, and what the tokens know as a name that begins small: `iPad`. */
const isKnown = (raw: string, text: string): boolean => {
  const name = nameOf(text) ?? (text.endsWith('s') ? nameOf(text.slice(0, -1)) : undefined)
  return (name !== undefined && !name.everyday) || /^\p{Ll}/u.test(raw)
}

const isStart = (tokens: readonly Token[], i: number): boolean => i === 0 || /[.!?:\n"]/.test(tokens[i]?.gap ?? '')

/**
 * Capitals throughout, and words among them that no name is made of: `WHAT IS A MUTEX`, and not `STEM` or `US GDP`.
 * Names with signs in them (`Node.js`) are left as they are by those who shout.
 */
function shoutedIn(tokens: readonly Token[]): () => boolean {
  let known: boolean | undefined
  return () => {
    known ??= isShouted(tokens.filter(({ kind, raw }) => kind === 'word' && /^[\p{L}\p{M}']+$/u.test(raw)))
    return known
  }
}

function isShouted(words: readonly Token[]): boolean {
  if (words.some(({ raw }) => /\p{Ll}/u.test(raw))) return false
  if (words.filter(({ text }) => text.length >= SHORT).length >= MANY) return true
  return words.some(
    ({ text }) => text.length >= LONG || (text.length > 1 && FUNCTION_WORDS.has(text) && !NAMED.has(text)),
  )
}
