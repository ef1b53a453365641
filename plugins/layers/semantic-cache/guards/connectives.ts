import { fact } from '../analysis.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'

/** Who compares says `and` and `or` alike: `the difference between a and b`, `which is better, a or b`. */
const COMPARING = new Set(
  'between differ different difference differenc compar compare comparison versus vs which distinguish distinction choose pick decid decide prefer'.split(
    ' ',
  ),
)

/** `mix bleach and vinegar` is not `mix bleach or vinegar`. */
export const connectives: Guard = (a, b) => {
  const left = joined(a)
  if (left.size === 0) return undefined
  const right = joined(b)
  if (right.size === 0 || isComparing(a) || isComparing(b)) return undefined
  for (const [pair, word] of left) if ((right.get(pair) ?? word) !== word) return 'connective'
  return undefined
}

const isComparing = fact(({ tokens }) => tokens.some(({ stem }) => COMPARING.has(stem)))

/** What stands between two words of content, by the two, whichever goes first. */
const joined = fact(({ tokens }) => {
  const found = new Map<string, string>()
  let before: string | undefined
  let word: string | undefined
  for (const one of tokens) {
    if (one.kind === 'word' && (one.text === 'and' || one.text === 'or')) word = one.text
    else if (one.kind !== 'word' || !FUNCTION_WORDS.has(one.text)) {
      if (word !== undefined && before !== undefined)
        found.set(before < one.stem ? `${before} ${one.stem}` : `${one.stem} ${before}`, word)
      before = one.stem
      word = undefined
    }
  }
  return found
})
