import { fact, words } from '../analysis.ts'
import type { Token } from '../token.ts'
import { type Guard, sameSet } from './guard.ts'
import { questionKind } from './question.ts'

/** Amounts, years, times and what they count, in order: `10 minutes` is neither `10 hours` nor `15 minutes`. */
export const numbers: Guard = (a, b) => {
  const left = amounts(a)
  const right = amounts(b)
  if (left.length !== right.length) return 'numbers'
  for (const [i, { value, unit }] of left.entries()) {
    const other = right[i]
    if (value !== other?.value) return 'numbers'
    if (unit !== undefined && other.unit !== undefined && unit !== other.unit) return 'units'
  }
  if (!sameSet(deadlines(a), deadlines(b))) return 'units'
  if (left.length > 0) return undefined
  const [mine, theirs] = [measures(a), measures(b)]
  return mine === '' || theirs === '' || mine === theirs ? undefined : 'units'
}

interface Amount {
  readonly value: string
  readonly unit: string | undefined
}

const amounts = fact(({ tokens }) => {
  const found: Amount[] = []
  for (const [i, { kind, text, raw, unit }] of tokens.entries())
    if (kind === 'number' && !isEnumeration(tokens, i)) found.push({ value: text, unit })
    else if (kind === 'word') {
      const value = isRoman(raw) ? raw : isFirst(tokens, i) ? '1' : sizeOf(tokens, i)
      if (value !== undefined) found.push({ value, unit: undefined })
    }
  return found
})

const COUNTED = new Set(
  'type stage part book chapter phase tier level grade schedule formula war step unit class season volume round lesson section category episode act number'.split(
    ' ',
  ),
)
/** `world war one`; elsewhere `one` is as good as `a`. */
const isFirst = (tokens: readonly Token[], i: number): boolean =>
  tokens[i]?.text === 'one' && COUNTED.has(tokens[i - 1]?.text ?? '')

/** `Pope John Paul II`, `Part IV`: capitals, and two at least, since one alone is mostly a letter or the speaker. */
const isRoman = (raw: string): boolean => raw.length > 1 && raw.length < 6 && ROMAN.test(raw)
const ROMAN = /^X{0,3}(?:IX|IV|V?I{0,3})$/

/** `2. What is …`: the number of the question, not of the answer. */
const isEnumeration = (tokens: readonly Token[], i: number): boolean =>
  i === 0 && (tokens[1]?.gap ?? '').startsWith('.') && tokens.length > 3

const SIZES = new Map([
  ['half', '0.5'],
  ['quarter', '0.25'],
  ['twice', '2x'],
  ['double', '2x'],
  ['thrice', '3x'],
  ['triple', '3x'],
  ['quadruple', '4x'],
  ['pair', '2'],
  ['couple', '2'],
])

/** `an hour and a half` has a half more, and not half of it. */
const sizeOf = (tokens: readonly Token[], i: number): string | undefined => {
  const size = SIZES.get(tokens[i]?.text ?? '')
  return size !== undefined && tokens[i - 1]?.text === 'and' ? `+${size}` : size
}

const MEASURES = new Set(
  'second minute hour day week month year decade century celsius fahrenheit kelvin kilometer kilometre mile meter metre foot feet inch centimeter centimetre gram kilogram pound ounce liter litre gallon kilobyte megabyte gigabyte terabyte byte bit dollar euro rupee yen'.split(
    ' ',
  ),
)

/** Without a number too a measure is the point: cost per month, cost per year. */
const measures = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const { kind, text, stem } of tokens)
    if (kind === 'word' && MEASURES.has(text.endsWith('s') ? text.slice(0, -1) : text)) found.add(stem)
  return [...found].sort().join(' ')
})

const AMOUNTS = new Set(['how_many', 'how_much', 'how_often'])
/** `lose weight in a month`, and not `how many days are in a month`. */
const deadlines = fact(analysis => {
  const found = new Set<string>()
  if (AMOUNTS.has(questionKind(analysis) ?? '')) return found
  const text = words(analysis)
  for (const [i, word] of text.entries())
    if (SPANS.has(word) && (text[i - 1] === 'in' || text[i - 1] === 'within')) found.add(word)
  return found
})
const SPANS = new Set('minute hour day week month year'.split(' '))
