import { LosslessNumber, parse, stringify } from 'lossless-json'

/** JSON whose numbers keep every digit, also where a double cannot hold them. */

/** A number that a double cannot hold. Plain `JSON.stringify` rounds it; `exactJson` writes every digit. */
export class ExactNumber extends LosslessNumber {
  /** How often one was rounded: so `exactJson` knows whether the fast way was good enough. */
  static rounded = 0

  toJSON(): number {
    ExactNumber.rounded++
    return Number(this.value)
  }
}

/** Sixteen digits in a row, a long fraction or a large exponent: where a double might not be enough. */
const RISKY = /\d{16}|\d\.\d{14}|\d[eE][+-]?\d{2}/

/** Parses as `JSON.parse` does, but for the numbers that it would round. Throws on what is not JSON. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return RISKY.test(text) ? exact(text) : value
}

/** A value as JSON text, with the numbers that `parseExact` kept exact still exact. */
export function exactJson(value: unknown): string {
  const before = ExactNumber.rounded
  const text = JSON.stringify(value)
  return ExactNumber.rounded === before ? text : (stringify(value) ?? text)
}

const exact = (text: string): unknown =>
  parse(text, null, {
    parseNumber: number => (same(number) ? Number(number) : new ExactNumber(number)),
    onDuplicateKey: ({ newValue }) => newValue,
  })

/** Does the double nearest to this number print as the same number? */
function same(number: string): boolean {
  const double = Number(number)
  if (!Number.isFinite(double)) return false
  if (/^-?\d+$/.test(number)) return BigInt(double).toString() === BigInt(number).toString()
  return digits(number) === digits(String(double))
}

/** Significant digits without sign, point and exponent. */
const digits = (number: string): string =>
  number
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')
