import { Analysis, fact } from './analysis.ts'
import type { Token } from './token.ts'
import { FUNCTION_WORDS } from './words/function-words.ts'
import { idfOf, UNKNOWN } from './words/idf.ts'
import { nameOf } from './words/names.ts'
import { SWAPS } from './words/swaps.ts'

/**
 * A slip of the finger is no other word. Where a word that nobody knows becomes a well-known one when two neighbouring
 * letters change places, it is read as that. A letter more, less or other is no slip: it is how words differ (`house`,
 * `horse`). Guards must see what turns a question round as it was written, so nothing is read as that, either.
 */
export function withoutTypos(a: Analysis, b: Analysis): Analysis {
  const [mine, theirs] = [texts(a), texts(b)]
  const strange = plain(a).filter(one => !theirs.has(one.text))
  if (strange.length === 0 || strange.length > 3) return a
  const targets = plain(b).filter(one => !mine.has(one.text))
  if (targets.length === 0) return a
  const meant = new Map(
    strange.flatMap(one => {
      const target = targets.find(({ text }) => isSlip(one.text, text))
      return target ? [[one, target] as const] : []
    }),
  )
  if (meant.size === 0) return a
  return new Analysis(
    a.tokens.map(one => {
      const target = meant.get(one)
      if (!target) return one
      const { text, stem, raw } = target
      // A shouted prompt stays one.
      return { ...one, text, stem, raw: one.raw === one.raw.toUpperCase() ? raw.toUpperCase() : raw }
    }),
  )
}

const texts = fact(({ tokens }) => new Set(tokens.map(one => one.text)))
const plain = fact(({ tokens }) => tokens.filter(isPlain))

/** Words that say whether, how many and which: none is ever read as another. */
const TURNING = new Set(
  'never without nobody nothing neither except excluding unless unable cannot always sometimes every first second third least fewer'.split(
    ' ',
  ),
)
const SHORTEST = 5

const isPlain = ({ kind, text }: Token): boolean =>
  kind === 'word' && text.length >= SHORTEST && !FUNCTION_WORDS.has(text) && !TURNING.has(text)

const isSlip = (a: string, b: string): boolean =>
  isSwap(a, b) && isKnown(a) !== isKnown(b) && !SWAPS.has(a) && !SWAPS.has(b)

const isKnown = (word: string): boolean => idfOf(word) < UNKNOWN || nameOf(word) !== undefined

function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i + 1 < a.length && a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2)
}
