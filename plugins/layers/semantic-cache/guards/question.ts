import { fact, words } from '../analysis.ts'
import type { Guard } from './guard.ts'

/** Who, when, where, why, how many: the kind of answer that is asked for. What, which and how alone leave it open. */
export const question: Guard = (a, b) => {
  const left = questionKind(a)
  const right = questionKind(b)
  if (left === right || left === undefined || right === undefined) return undefined
  return (OPEN.has(left) && OPEN.has(right)) || CLOSE.has(`${left} ${right}`) || CLOSE.has(`${right} ${left}`)
    ? undefined
    : 'question_word'
}

const OPEN = new Set(['what', 'how', 'which', 'yes'])
const CLOSE = new Set([
  'what why',
  'what where',
  'which where',
  'which who',
  'what who',
  'how where',
  'which when',
  'what when',
  'yes where',
  'how_long when',
  'yes how_long',
  'what how_old',
  'what how_often',
])

const HOW = new Map([
  ['many', 'how_many'],
  ['much', 'how_much'],
  ['long', 'how_long'],
  ['quick', 'how_long'],
  ['fast', 'how_long'],
  ['often', 'how_often'],
  ['frequently', 'how_often'],
  ['far', 'how_far'],
  ['old', 'how_old'],
  ['tall', 'how_tall'],
  ['big', 'how_big'],
  ['large', 'how_big'],
  ['come', 'why'],
])
const WHAT = new Map([
  ['time', 'when'],
  ['year', 'when'],
  ['date', 'when'],
  ['day', 'when'],
  ['month', 'when'],
  ['price', 'how_much'],
  ['cost', 'how_much'],
  ['fee', 'how_much'],
  ['amount', 'how_much'],
  ['number', 'how_many'],
  ['duration', 'how_long'],
  ['length', 'how_long'],
  ['century', 'when'],
  ['place', 'where'],
  ['city', 'which'],
  ['country', 'which'],
  ['person', 'who'],
  ['reason', 'why'],
  ['age', 'how_old'],
])
const YES = new Set(
  'is are am was were do does did can could will would should shall has have had may might must'.split(' '),
)
const SPANS = new Set('seconds minutes hours days weeks months years'.split(' '))
const DIRECT = new Set(['who', 'whom', 'whose', 'when', 'where', 'why'])

/** The kind of answer that is asked for; `undefined` for a statement or a command. */
export const questionKind = fact((analysis): string | undefined => {
  const text = words(analysis)
  for (const [i, word] of text.entries()) {
    const next = text[i + 1] ?? ''
    // `when I click` in mid-sentence is a clause, not the question.
    if ((word === 'when' || word === 'where' || word === 'who') && !asks(text, i)) continue
    if (DIRECT.has(word)) return word === 'whom' || word === 'whose' ? 'who' : word
    if (word === 'how') return next === 'many' && SPANS.has(text[i + 2] ?? '') ? 'how_long' : (HOW.get(next) ?? 'how')
    if (word === 'what' || word === 'which')
      return WHAT.get(next) ?? WHAT.get(text[i + (text[i + 2] === 'average' ? 3 : 2)] ?? '') ?? word
  }
  return text[0] !== undefined && YES.has(text[0]) ? 'yes' : undefined
})

const LEADS = new Set('know me tell wondering and so but exactly for since is'.split(' '))
const asks = (text: readonly string[], i: number): boolean =>
  LEADS.has(text[i - 1] ?? '') || YES.has(text[i + 1] ?? '') || (i === 0 && text[0] === 'who') || text.length < 4
