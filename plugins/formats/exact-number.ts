import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json'

/** A number's one spelling: `1.0`, `1` and `10e-1` are one, and so are all spellings of a number no double can hold. */
export const numberText = (value: number): string => (value === 0 ? '0' : String(value))

/** Is this double perhaps not the number that was written? Fractions are: vendors read those as doubles too. */
export const isInexact = (value: number): boolean => value >= 2 ** 53 || value <= -(2 ** 53)

/** Characters of a number that is spelled anew. What is longer is no number that anybody means, but takes long. */
const TOKEN_LIMIT = 400

/**
 * Parses JSON as `JSON.parse` does, but keeps numbers that a double would round: `exactText` spells them.
 * Throws on what is not JSON, and on a number of more characters than anybody writes.
 */
export const parseExactly = (json: string): unknown =>
  parse(json, undefined, {
    parseNumber: text => (isInexact(Number(text)) ? new LosslessNumber(oneSpelling(text)) : Number(text)),
    onDuplicateKey: ({ newValue }) => newValue,
  })

/** The spelling of a number that `parseExactly` kept; `undefined` for any other value. */
export const exactText = (value: object): string | undefined => (isLosslessNumber(value) ? value.value : undefined)

/** `12300`, `1.23e4` and `123e2` all become `123e2`: the digits without zeros around them, and a power of ten. */
function oneSpelling(text: string): string {
  if (text.length > TOKEN_LIMIT) throw new RangeError('a number is too long to be spelled anew')
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const kept = digits.slice(0, end)
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)
  return `${text.startsWith('-') ? '-' : ''}${kept}e${power}`
}
