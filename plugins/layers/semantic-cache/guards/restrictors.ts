import { type Analysis, fact, stems } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { type Guard, isContentWord } from './guard.ts'

/** Before a thing these leave fewer of it, or another one. */
const NARROW = new Set(
  (
    'only just empty blank hidden visible opened unopened used unused raw cooked uncooked frozen fresh dead broken fake secondhand ' +
    'leftover expired spoiled boiled fried baked dried canned powdered ripe unripe tracked untracked duplicate new'
  ).split(' '),
)
const ONLY = new Set(['only', 'just'])
/** Words that narrow nothing, though they look like it. */
const LOOSE = new Set(
  'need based related called named advanced detailed suggested recommended required preferred supposed so-called given'.split(
    ' ',
  ),
)
/** A participle before a thing, and not behind what makes a verb of it. */
const PARTICIPLE = /^[a-z]{3,}ed$/
const VERBAL =
  /^(?:is|are|was|were|be|been|being|am|has|have|had|get|got|gets|not|i|you|we|they|he|she|it|who|what|which|to|and|or|just|already)$/
/** Behind a name these make a longer one of it: `Kansas City` lies elsewhere than `Kansas`. */
const LONGER = new Set('city county state university island islands bay valley jr junior airport'.split(' '))

/** `empty lines` are fewer than `lines`, and `opened milk` is another matter than `milk`. */
export const restrictors: Guard = (a, b) => (narrows(a, b) || narrows(b, a) ? 'restrictor' : undefined)

function narrows(a: Analysis, b: Analysis): boolean {
  for (const { word, stem, head } of narrowed(a)) {
    const there = stems(b)
    const is = ONLY.has(word) ? [...ONLY].some(one => there.has(one)) : there.has(stem)
    if (!is && there.has(head)) return true
  }
  return false
}

interface Narrowed {
  readonly word: string
  readonly stem: string
  /** Stem of what it narrows. */
  readonly head: string
}

const narrowed = fact(({ tokens }) => {
  const found: Narrowed[] = []
  for (const [i, { kind, text, stem }] of tokens.entries()) {
    if (kind !== 'word' || !(isNarrow(tokens, i) || isLonger(tokens, i))) continue
    const head = LONGER.has(text) ? tokens[i - 1] : tokens[i + 1]
    if (head) found.push({ word: text, stem, head: head.stem })
  }
  return found
})

function isNarrow(tokens: readonly Token[], i: number): boolean {
  const { text = '' } = tokens[i] ?? {}
  if (NARROW.has(text))
    return isContentWord(tokens[i + 1]) && (!VERBAL.test(tokens[i - 1]?.text ?? '') || text === 'only')
  return (
    text.endsWith('ed') &&
    isContentWord(tokens[i + 1]) &&
    PARTICIPLE.test(text) &&
    !LOOSE.has(text) &&
    i > 0 &&
    isLed(tokens, i)
  )
}

/** `does opened milk`, `a parked car`: behind another word a participle may be the verb of a story. */
const isLed = (tokens: readonly Token[], i: number): boolean => {
  const { text = '' } = tokens[i - 1] ?? {}
  return FUNCTION_WORDS.has(text) && !VERBAL.test(text)
}

/** Behind a name, which no article and no `capital` is. */
const isLonger = (tokens: readonly Token[], i: number): boolean =>
  i > 0 && LONGER.has(tokens[i]?.text ?? '') && isContentWord(tokens[i - 1]) && tokens[i - 1]?.stem !== 'capital'
