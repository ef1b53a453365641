import type { JsonObject } from 'deflector'
import { LosslessNumber, parse, stringify } from 'lossless-json'

/** A number that a double cannot hold. Plain `JSON.stringify` rounds it; `exactText` writes every digit. */
class ExactNumber extends LosslessNumber {
  toJSON(): number {
    return Number(this.value)
  }
}

/** Sixteen digits in a row, a long fraction or a large exponent: where a double might not be enough. */
const RISKY = /\d{16}|\d\.\d{14}|\d[eE][+-]?\d{2}/

/**
 * The arguments of a tool call as the object that this format wants. Nothing is ever thrown away: text that is not
 * JSON becomes `{_raw}`, and JSON that is no object becomes `{value}`.
 */
export function argsObject(args: string): JsonObject {
  if (args.trim() === '') return {}
  const value = parsed(args)
  if (value === undefined) return { _raw: args }
  return isObject(value) ? value : { value }
}

/** An object as JSON text, with the numbers that `argsObject` kept exact still exact. */
export function exactText(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** Is this text one whole JSON object? */
export function isWholeObject(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (!RISKY.test(text)) return value
    return exact(text) ?? value
  } catch {
    return undefined
  }
}

function exact(text: string): unknown {
  try {
    return parse(text, null, number => {
      const exactly = new ExactNumber(number)
      return Number.isFinite(Number(number)) && same(number) ? Number(number) : exactly
    })
  } catch {
    // Doubled keys with different values: legal JSON, but not to this parser.
    return undefined
  }
}

/** Does the double nearest to this number print as the same number? */
function same(number: string): boolean {
  const double = Number(number)
  if (/^-?\d+$/.test(number)) return BigInt(double).toString() === BigInt(number).toString()
  return digits(number) === digits(String(double))
}

/** Significant digits without sign, point and exponent. */
const digits = (number: string): string =>
  number
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
