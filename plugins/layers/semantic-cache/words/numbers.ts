/** Numbers in words and the units behind numbers, each in one spelling. */

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const LARGE: Readonly<Record<string, string>> = {
  hundred: '100',
  thousand: '1000',
  million: '1000000',
  billion: '1000000000',
  trillion: '1000000000000',
  dozen: '12',
}

const WORDS = new Map<string, string>([
  ...SMALL.map((word, i) => [word, String(i)] as const),
  ...TENS.map((word, i) => [word, String((i + 2) * 10)] as const),
  ...Object.entries(LARGE),
])
// `one` is more often a pronoun than a number: it stays a word, and `first` with it.
WORDS.delete('one')

/** Does the word say how many times what stands before it? */
export const isLarge = (word: string): boolean => Object.hasOwn(LARGE, word.toLowerCase())

/** `3rd` stays told from `3`. `first` says more about the scope than about the place. */
const ORDINALS =
  'second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'
for (const [i, word] of ORDINALS.split(' ').entries()) WORDS.set(word, `${i + 2}${['nd', 'rd'][i] ?? 'th'}`)
/** After these, `second` is a measure of time. */
const BEFORE_SECONDS = new Set('a per each every one half split to in into of many'.split(' '))

/** The digits of a number word; `undefined` for any other word. */
export function numberOf(word: string, before?: { readonly kind: string; readonly text: string }): string | undefined {
  if (word === 'second' && before && (before.kind === 'number' || BEFORE_SECONDS.has(before.text))) return undefined
  return WORDS.get(word)
}

const UNITS: ReadonlyMap<string, string> = new Map(
  [
    'ms millisecond milliseconds msec',
    'sec s second seconds secs',
    'min minute minutes mins',
    'hour hours hr hrs h',
    'day days d',
    'week weeks wk wks',
    'month months mo',
    'year years yr yrs',
    'byte bytes b',
    'kb kilobyte kilobytes kib',
    'mb megabyte megabytes mib meg megs',
    'gb gigabyte gigabytes gib gig gigs',
    'tb terabyte terabytes tib',
    'mm millimetre millimetres millimeter millimeters',
    'cm centimetre centimetres centimeter centimeters',
    'metre metres meter meters',
    'km kilometre kilometres kilometer kilometers',
    'inch inches',
    'foot feet ft',
    'yard yards',
    'mile miles mi',
    'mg milligram milligrams',
    'g gram grams',
    'kg kilogram kilograms kilo kilos kgs',
    'oz ounce ounces',
    'lb pound pounds lbs',
    'ml millilitre millilitres milliliter milliliters',
    'litre litres liter liters l',
    '% percent',
    '$ dollar dollars usd bucks',
    '€ euro euros eur',
    '£ gbp quid',
    '₹ rupee rupees inr rs',
    '¥ yen jpy yuan',
    'hz hertz',
    'khz',
    'mhz',
    'ghz',
    'w watt watts',
    'kw kilowatt kilowatts',
    'v volt volts',
    'px pixel pixels',
    'times time x',
    'word words',
    'sentence sentences',
    'line lines',
    'character characters chars char',
    'paragraph paragraphs',
    'degree degrees',
    'celsius c',
    'fahrenheit f',
    'kelvin',
    'am',
    'pm',
    'k thousand',
    'm',
    'million',
    'bn billion',
  ].flatMap(row => {
    const [first = '', ...others] = row.split(' ')
    return [[first, first] as const, ...others.map(other => [other, first] as const)]
  }),
)

/** Here case tells bits from bytes, and thousandths from millions. */
const CASED: ReadonlyMap<string, string> = new Map([
  ['M', 'million'],
  ...'Kb Mb Gb Tb'.split(' ').map(unit => [unit, unit] as const),
  ['mHz', 'mHz'],
  ...'W Wh V A Pa J N'.split(' ').flatMap(unit => [`m${unit}`, `M${unit}`].map(one => [one, one] as const)),
])

const ORDINAL = /^(?:st|nd|rd|th)$/

/**
 * `10GB`, `$20`, `5th`, `12am` as value and unit. `plain` is false for what only begins with a digit (`3d4f`): that is a
 * name, not an amount.
 */
export function splitUnit(raw: string): { readonly value: string; readonly unit?: string; readonly plain: boolean } {
  const [, money, digits = '', tail = ''] = /^([$€£₹¥])?\s?(\.?\d[\d,.:/-]*)(.*)$/su.exec(raw.trim()) ?? []
  const value = digits.includes(':') || digits.includes('/') || digits.includes('-') ? digits : amount(digits)
  const letters = tail.toLowerCase()
  if (money !== undefined) return { value: `${value}${letters}`, unit: money, plain: true }
  if (letters === '') return { value, plain: true }
  if (ORDINAL.test(letters)) return { value: `${value}${letters}`, plain: true }
  const unit = CASED.get(tail) ?? UNITS.get(letters)
  return unit === undefined ? { value, plain: false } : { value, unit, plain: true }
}

/** `1,250` and `1250` are one amount. `1.20` is not `1.2`: it may be a version; nor is `02134` `2134`. */
const amount = (digits: string): string =>
  /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/.test(digits) ? digits.replaceAll(',', '') : digits
