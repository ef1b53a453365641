/** Finds places in the bytes of a JSON text without reading what it says. What is cut short throws an `Error`. */

/** The bytes that give a JSON text its shape. */
export const JSON_BYTES = {
  QUOTE: 0x22,
  OPEN_BRACE: 0x7b,
  CLOSE_BRACE: 0x7d,
  OPEN_BRACKET: 0x5b,
  CLOSE_BRACKET: 0x5d,
  COMMA: 0x2c,
  COLON: 0x3a,
} as const

const { QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON } = JSON_BYTES
const BACKSLASH = 0x5c

/** Up to this many bytes a loop finds the end of a string sooner than a call of the native search. */
const NEAR = 48

/** The place of the next byte that is no space. */
export function skipSpace(json: Buffer, at: number): number {
  for (let byte = json[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) byte = json[++at]
  return at
}

/** The place after the closing quote of the string whose opening quote stands at `at`. */
export const endOfString = (json: Buffer, at: number): number => stringEnd(json, at + 1, json.length)

/** The same from a place inside the string. Stops behind `until`, and gives back the negative of a place to go on from. */
function stringEnd(json: Buffer, at: number, until: number): number {
  for (;;) {
    const near = Math.min(json.length, at + NEAR)
    while (at < near) {
      const byte = json[at]
      if (byte === QUOTE) return at + 1
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = json.indexOf(QUOTE, at)
    if (quote === -1) throw malformed()
    let slashes = 0
    while (quote - slashes > at && json[quote - slashes - 1] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
    if (at >= until) return -at
  }
}

/** The place after the value that begins at `at`. Brackets are counted, not matched: that is for a parser to say. */
export function endOfValue(json: Buffer, at: number): number {
  const first = json[at]
  if (first === QUOTE) return endOfString(json, at)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfScalar(json, at)
  const scan = { at, depth: 0, quoted: false }
  scanOn(json, scan, json.length)
  return scan.at
}

/** How far the search for the end of a value has come. */
export interface Scan {
  at: number
  /** Lists and objects that are open. */
  depth: number
  /** Is `at` inside a string? */
  quoted: boolean
}

/**
 * Lists and objects in one another; RFC 8259 lets a reader set a limit. `JSON.parse` takes 0.2 us a level, and a body of
 * a megabyte has room for half a million.
 */
export const NESTING_LIMIT = 1000

/** A text that is nested deeper than that. */
export class TooDeep extends Error {}

/** Looks on from `scan.at`, where a string, a list or an object begins; true once `scan.at` is its end. Stops behind `until`. */
export function scanOn(json: Buffer, scan: Scan, until: number): boolean {
  let { at, depth } = scan
  while ((at < until || scan.quoted) && at < json.length) {
    const byte = json[at]
    if (scan.quoted || byte === QUOTE) {
      const end = stringEnd(json, scan.quoted ? at : at + 1, until)
      at = Math.abs(end)
      scan.quoted = end < 0
      if (scan.quoted) break
      if (depth > 0) continue
      scan.at = at
      return true
    }
    at++
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > NESTING_LIMIT) throw new TooDeep()
    } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
      scan.at = at
      scan.depth = 0
      return true
    }
  }
  if (at >= json.length) throw malformed()
  scan.at = at
  scan.depth = depth
  return false
}

function endOfScalar(json: Buffer, at: number): number {
  const start = at
  for (let byte = json[at]; byte !== undefined && byte > 0x20 && byte !== COMMA; byte = json[++at]) {
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) break
  }
  if (at === start) throw malformed()
  return at
}

/**
 * How many members the objects of a text have, all together: outside of strings a colon stands nowhere else.
 * Throws `TooDeep`.
 */
export function countMembers(json: Buffer): number {
  let count = 0
  let depth = 0
  for (let at = 0; at < json.length; ) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else {
      if (byte === COLON) count++
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth > NESTING_LIMIT) throw new TooDeep()
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
      at++
    }
  }
  return count
}

export const malformed = (): Error => new Error('not a JSON object or value')
