import type { Token } from './token.ts'
import { wordSet } from './word-set.ts'

/** A number with what it counts, each in one spelling. */
export interface Amount {
  readonly value: string
  readonly unit?: string | undefined
}

const SMALL = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, i) => [word, i] as const),
)
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, i) => [word, (i + 2) * 10] as const),
)
const LARGE = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
])
/** `1st`, like `first`. */
const FIRST = '1th'
/** `first` says more about the scope than about the place, unless it ends a longer number. */
const ORDINALS = new Map(
  (
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth ' +
    'seventeenth eighteenth nineteenth twentieth'
  )
    .split(' ')
    .map((word, i) => [word, i + 1] as const),
)
const PARTS = new Map([
  ['half', '0.5'],
  ['double', '2x'],
  ['triple', '3x'],
  ['dozen', '12'],
])
/** How often, or how much: `twice a day`, `twice the dose`. */
const TIMES = new Map([
  ['twice', '2'],
  ['thrice', '3'],
])
/** Behind `twice` and `three times` these begin what is multiplied, unless a period follows them: `twice this week`. */
const MULTIPLIED = wordSet('the as a an my your his her its our their this that these those what how')
const PERIODS = wordSet(
  'second minute hour day night morning afternoon evening week weekend fortnight month quarter season year decade century lifetime ' +
    'winter spring summer autumn term semester shift',
)
/** Behind these, `second` is a measure of time. */
const BEFORE_SECONDS = wordSet('a per each every one half split to in into of many')
/** Of these there are a one and a two: `world war one`. */
const COUNTED = wordSet(
  'type stage part book chapter phase tier level grade formula war step unit class season volume round lesson section episode act number',
)
const ROMAN = /^(x{0,3})(ix|iv|v?i{0,3})$/
const ONES = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix']
/** Names and things as well (an editor, a drip), so that they are no digits unless something is counted. */
const AMBIGUOUS = new Set(['iv', 'vi', 'xi', 'xx', 'xxx'])

/** All numbers, in order: digits, words and Roman numerals. */
export function amountsOf(tokens: readonly Token[]): readonly Amount[] {
  const found: Amount[] = []
  for (let i = 0; i < tokens.length; i++) {
    const one = tokens[i]
    if (!one) break
    if (one.kind === 'number') {
      const read = splitUnit(one.raw)
      // `2. What is …`: the number of the question, not of the answer.
      if (!read || read.value === FIRST || (i === 0 && tokens.length > 3 && tokens[1]?.gap.startsWith('.'))) continue
      const times = largeAt(tokens, i + 1)
      if (times !== undefined) i++
      const value =
        times !== undefined && /^\d+(?:\.\d+)?$/.test(read.value) ? String(Number(read.value) * times) : read.value
      found.push(read.unit === undefined ? amountOf(value, tokens, i + 1) : counted(value, read.unit, tokens, i + 1))
    } else if (one.kind === 'word') {
      const times = TIMES.get(one.text)
      const spelled = spelledAt(tokens, i)
      const value = spelled?.value ?? PARTS.get(one.text) ?? romanAt(tokens, i)
      if (spelled) i = spelled.last
      if (times !== undefined) found.push(counted(times, 'times', tokens, i + 1))
      else if (value !== undefined) found.push(amountOf(value, tokens, i + 1))
    }
  }
  return found
}

/** `world war ii` and `type i` in digits, whatever their case. */
export function romanAt(tokens: readonly Token[], i: number): string | undefined {
  const { kind, text = '' } = tokens[i] ?? {}
  const read = kind === 'word' ? ROMAN.exec(text) : null
  if (!read || text === '') return undefined
  const [, tens = '', ones = ''] = read
  if (COUNTED.has(tokens[i - 1]?.text ?? '')) return String(tens.length * 10 + ONES.indexOf(ones))
  if (text.length === 1) return undefined
  return AMBIGUOUS.has(text) ? text : String(tens.length * 10 + ONES.indexOf(ones))
}

/** `twenty one`, `two hundred and five`, `a hundred`: its value, and where it ends. */
function spelledAt(tokens: readonly Token[], from: number): { value: string; last: number } | undefined {
  let [sum, group, last] = [0, -1, from - 1]
  for (let i = from; i < tokens.length; i++) {
    const { kind, text = '', gap } = tokens[i] ?? {}
    if (kind !== 'word' || (i > from && !isGlue(gap))) break
    const [small, tens, large] = [SMALL.get(text), TENS.get(text), LARGE.get(text)]
    const ordinal = isPlace(tokens, i) ? ORDINALS.get(text) : undefined
    if (large !== undefined && group !== 0) {
      const isBegun = group >= 0
      if (!isBegun && i > from && sum === 0) break
      if (large === 100) group = (isBegun ? group : 1) * 100
      else [sum, group] = [sum + (isBegun ? group : 1) * large, -1]
    } else if (tens !== undefined && (group < 0 || group % 100 === 0)) group = Math.max(group, 0) + tens
    else if (small !== undefined && fits(group, small)) group = Math.max(group, 0) + small
    else if (ordinal !== undefined && (group < 0 && sum === 0 ? ordinal > 1 : fits(group, ordinal)))
      return { value: `${sum + Math.max(group, 0) + ordinal}th`, last: i }
    else if (text === 'and' && i > from && group % 100 === 0 && isNumber(tokens[i + 1])) continue
    else break
    last = i
  }
  if (last < from) return undefined
  // Alone, `one` is more often a pronoun.
  if (last === from && tokens[from]?.text === 'one' && !isCounted(tokens, from)) return undefined
  return { value: String(sum + Math.max(group, 0)), last }
}

/** `twenty one` and `hundred twelve`, and neither `one two` nor `twenty twelve`. */
const fits = (group: number, small: number): boolean =>
  group < 0 || (group > 0 && (group % 100 === 0 || (group % 10 === 0 && group % 100 > 10 && small > 0 && small < 10)))

const isGlue = (gap: string | undefined): boolean => gap !== undefined && /^[\s-]*$/.test(gap)
const isNumber = (one: Token | undefined): boolean =>
  one?.kind === 'number' || (one?.kind === 'word' && (SMALL.has(one.text) || TENS.has(one.text) || LARGE.has(one.text)))
const isCounted = (tokens: readonly Token[], i: number): boolean => {
  const [before, after] = [tokens[i - 1], tokens[i + 1]]
  return COUNTED.has(before?.text ?? '') || isNumber(before) || (isNumber(after) && isGlue(after?.gap))
}

function isPlace(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]
  return tokens[i]?.text !== 'second' || !before || (before.kind !== 'number' && !BEFORE_SECONDS.has(before.text))
}

function largeAt(tokens: readonly Token[], i: number): number | undefined {
  const { kind, text = '', gap } = tokens[i] ?? {}
  return kind === 'word' && isGlue(gap) ? LARGE.get(text) : undefined
}

/** Of the number before `at`, where its unit may stand. */
const amountOf = (value: string, tokens: readonly Token[], at: number): Amount =>
  counted(value, unitAt(tokens, at), tokens, at + 1)

/** `two times a day` and `twice a day` are a number of times, `two times the dose` and `double the dose` a factor. */
const counted = (value: string, unit: string | undefined, tokens: readonly Token[], behind: number): Amount =>
  unit === 'times' && isMultiplied(tokens, behind) ? { value: `${value}x` } : { value, unit }

function isMultiplied(tokens: readonly Token[], at: number): boolean {
  const [first = '', second = ''] = [tokens[at]?.text, tokens[at + 1]?.text]
  if (!MULTIPLIED.has(first) || !isGlue(tokens[at]?.gap)) return false
  // `twice as a child` counts, too.
  return first === 'as' ? !MULTIPLIED.has(second) : !PERIODS.has(second.replace(/s$/, ''))
}

/** A unit is often the next word: `10 minutes`. */
function unitAt(tokens: readonly Token[], i: number): string | undefined {
  const { kind, raw = '', gap } = tokens[i] ?? {}
  return kind === 'word' && isGlue(gap) ? unitOf(raw) : undefined
}

const UNITS: ReadonlyMap<string, string> = new Map(
  (
    'ms millisecond milliseconds msec,sec s second seconds secs,min minute minutes mins,hour hours hr hrs h hourly,day days d daily,week weeks wk wks weekly,' +
    'month months mo monthly,year years yr yrs yearly annual annually,decade decades,century centuries,byte bytes b,kb kilobyte kilobytes kib,mb megabyte megabytes mib meg megs,' +
    'gb gigabyte gigabytes gib gig gigs,tb terabyte terabytes tib,mm millimetre millimetres millimeter millimeters,' +
    'cm centimetre centimetres centimeter centimeters,metre metres meter meters,km kilometre kilometres kilometer kilometers,inch inches,' +
    'foot feet ft,yard yards,mile miles mi,mg milligram milligrams,g gram grams,kg kilogram kilograms kilo kilos kgs,oz ounce ounces,' +
    'lb pound pounds lbs,ml millilitre millilitres milliliter milliliters,litre litres liter liters l,gallon gallons,quart quarts,pint pints,cup cups,tablespoon tablespoons tbsp,teaspoon teaspoons tsp,acre acres,hectare hectares,% percent,' +
    '$ dollar dollars usd bucks,€ euro euros eur,£ gbp quid,₹ rupee rupees inr rs,¥ yen jpy yuan,kbps,mbps,gbps,hz hertz,khz,mhz,ghz,w watt watts,' +
    'kw kilowatt kilowatts,v volt volts,px pixel pixels,times time x,word words,sentence sentences,line lines,' +
    'character characters chars char,paragraph paragraphs,degree degrees,celsius c,fahrenheit f,kelvin,am,pm,k,m,bn'
  )
    .split(',')
    .flatMap(row => {
      const words = row.split(' ')
      return words.map(word => [word, words[0] ?? word] as const)
    }),
)
/** Here case tells bits from bytes, and thousandths from millions. */
const CASED = new Set(['M', ...'Kb Mb Gb Tb mHz'.split(' '), ...[...'WVAJN'].flatMap(unit => [`m${unit}`, `M${unit}`])])

export const unitOf = (raw: string): string | undefined => (CASED.has(raw) ? raw : UNITS.get(raw.toLowerCase()))

/** `10GB`, `$20`, `5th`, `12am`; `undefined` for what only begins with a digit (`3d4f`): that is a name, no amount. */
export function splitUnit(raw: string): Amount | undefined {
  const [, money, digits = '', tail = ''] = /^([$€£₹¥])?\s?(\.?\d[\d,.:/-]*)(.*)$/su.exec(raw) ?? []
  const value = /[:/-]/.test(digits) ? digits : plain(digits)
  const letters = tail.toLowerCase()
  if (money !== undefined) return { value: `${value}${letters}`, unit: money }
  if (letters === '') return { value }
  if (/^(?:st|nd|rd|th)$/.test(letters)) return { value: `${value}th` }
  const unit = unitOf(tail)
  return unit === undefined ? undefined : { value, unit }
}

/** `1,250` and `1250` are one amount. `1.20` is not `1.2`: it may be a version; nor is `02134` `2134`. */
const plain = (digits: string): string =>
  /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/.test(digits) ? digits.replaceAll(',', '') : digits
