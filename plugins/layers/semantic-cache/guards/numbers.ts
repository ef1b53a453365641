import type { Token } from '../tokens.ts'
import type { Guard } from './guard.ts'

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
  const [mine, theirs] = [units(a, left.length), units(b, right.length)]
  return mine === '' || theirs === '' || mine === theirs ? undefined : 'units'
}

interface Amount {
  readonly value: string
  readonly unit: string | undefined
}

const amounts = (tokens: readonly Token[]): Amount[] =>
  tokens.flatMap((one, i) => {
    if (one.kind === 'number' && !isEnumeration(tokens, i)) return [{ value: one.text, unit: one.unit }]
    if (one.kind !== 'word') return []
    const value = ROMAN.test(one.raw) ? one.raw : SIZES[one.text]
    return value === undefined ? [] : [{ value, unit: undefined }]
  })

/** `Pope John Paul II`, `Part IV`: capitals, and two at least, since one alone is mostly a letter or the speaker. */
const ROMAN = /^(?=[IVX]{2,5}$)X{0,3}(?:IX|IV|V?I{0,3})$/

/** `2. What is …`: the number of the question, not of the answer. */
const isEnumeration = (tokens: readonly Token[], i: number): boolean =>
  i === 0 && (tokens[1]?.gap ?? '').startsWith('.') && tokens.length > 3

const SIZES: Readonly<Record<string, string>> = {
  half: '0.5',
  quarter: '0.25',
  twice: '2x',
  double: '2x',
  thrice: '3x',
  triple: '3x',
  quadruple: '4x',
  pair: '2',
  couple: '2',
}

const MEASURES = new Set(
  'second minute hour day week month year decade century celsius fahrenheit kelvin kilometer kilometre mile meter metre foot feet inch centimeter centimetre gram kilogram pound ounce liter litre gallon kilobyte megabyte gigabyte terabyte byte bit dollar euro rupee yen'.split(
    ' ',
  ),
)

/** Without a number too a measure is the point: cost per month, cost per year. */
function units(tokens: readonly Token[], counted: number): string {
  if (counted > 0) return ''
  const found = new Set(
    tokens.filter(({ kind, text }) => kind === 'word' && MEASURES.has(text.replace(/s$/, ''))).map(({ stem }) => stem),
  )
  return [...found].sort().join(' ')
}
