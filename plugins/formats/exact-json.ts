import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject, writeLargeJson } from 'deflector'
import { closingQuote } from './closing-quote.ts'

/** JSON whose numbers keep the spelling that they came with: every digit of a long one, and `1.0` for `1.0`. */

/** Stands before a number inside a string. Made anew by every process, so that no text of a client begins so. */
const MARK = `number ${randomUUID()} `
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

let writesExactly = false
/** Was a number met since it was last set to false? */
let met = false

/** A number that `JSON.stringify` would spell in another way. It does so still, but for `exactJson`. */
export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text
  }

  toJSON(): number | string {
    met = true
    return writesExactly ? MARK + this.text : Number(this.text)
  }
}

/** Is it an object as JSON has them? A number that keeps its spelling is none. */
export const isMap = (value: unknown): value is JsonObject => isObject(value) && !(value instanceof ExactNumber)

/** A point, an exponent, a zero with a sign, or more digits than a double is sure of: perhaps in a text, perhaps in a number. */
const UNUSUAL = /\d[.eE]|-0|\d{16}/

/** Parses as `JSON.parse` does, but for the numbers that would be spelled in another way then. Throws on what is not JSON. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const marked = UNUSUAL.test(text) ? withMarks(text) : text
  if (marked === text) return value
  return JSON.parse(marked, (_, item: unknown) =>
    typeof item === 'string' && item.startsWith(MARK) ? new ExactNumber(item.slice(MARK.length)) : item,
  )
}

/** A value as JSON text, its numbers spelled as `parseExact` found them. */
export function exactJson(value: unknown): string {
  writesExactly = true
  met = false
  try {
    const text = JSON.stringify(value)
    return met ? text.replace(MARKED, '$1') : text
  } finally {
    writesExactly = false
  }
}

/** The same as UTF-8, in turns of the event loop. */
export const exactJsonInTurns = (value: unknown): Promise<Uint8Array> => writeLargeJson(value, exactJson)

const NUMBER = /-?\d[\d.eE+-]*/g

/** A JSON text with a marked string in place of each such number. */
function withMarks(text: string): string {
  let out = ''
  let from = 0
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    const bare = text.slice(at, end)
    const marked = bare.replace(NUMBER, number => (String(Number(number)) === number ? number : `"${MARK}${number}"`))
    if (marked !== bare) {
      out += text.slice(from, at) + marked
      from = end
    }
    at = quote < 0 ? end : closingQuote(text, quote + 1) + 1
  }
  return from === 0 ? text : out + text.slice(from)
}
