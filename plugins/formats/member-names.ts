/** Where a member's name stands in a text that is JSON, or has JSON in it. */
export interface MemberName {
  readonly name: string
  /** Of its first character or escape. */
  readonly from: number
  /** Where its value begins. */
  readonly value: number
  /** Backslashes before each of its quotes: JSON in a string of JSON has one, deeper JSON more. */
  readonly depth: number
}

/** Deeper escapes are nobody's; without a bound a text of backslashes would take the square of its length. */
const DEEPEST = 15
const LONGEST = 80

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** ASCII letters and digits, and `_-. $`. */
const IN_NAME = signs(/[\w\-. $]/)
const SPACE = signs(/\s/)
/** Behind a backslash these are space. */
const ESCAPED_SPACE = signs(/[nrt]/)

/**
 * The names of members, in order. They are found from their colons, of which a text has far fewer than characters that
 * may begin a name.
 */
export function* memberNames(text: string): Generator<MemberName> {
  let free = 0
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    const quote = lastBefore(text, colon, free)
    if (text.charCodeAt(quote) !== QUOTE) continue
    const end = afterSlashes(text, quote, free, DEEPEST + 1)
    const depth = quote - end
    if (depth > DEEPEST) continue
    const start = beginOfName(text, end, free)
    if (start === end || text.charCodeAt(start - 1) !== QUOTE) continue
    const from = afterSlashes(text, start - 1, free, depth)
    if (from < free || start - 1 - from !== depth) continue
    free = afterSpace(text, colon + 1)
    yield { name: text.slice(start, end), from, value: free, depth }
  }
}

/** The place before the space that ends at `end`; nothing before `free` is looked at. */
function lastBefore(text: string, end: number, free: number): number {
  let at = end - 1
  while (at > free) {
    const code = text.charCodeAt(at)
    if (SPACE[code]) at--
    else if (ESCAPED_SPACE[code] && text.charCodeAt(at - 1) === BACKSLASH) at = afterSlashes(text, at, free) - 1
    else break
  }
  return at
}

/** Where the backslashes begin that end at `end`, or the last `most` of them. */
function afterSlashes(text: string, end: number, free: number, most = Number.POSITIVE_INFINITY): number {
  let at = end
  while (at > free && end - at < most && text.charCodeAt(at - 1) === BACKSLASH) at--
  return at
}

function beginOfName(text: string, end: number, free: number): number {
  let at = end
  while (at > free && end - at < LONGEST && IN_NAME[text.charCodeAt(at - 1)]) at--
  return at
}

function afterSpace(text: string, from: number): number {
  for (let at = from; ; ) {
    if (SPACE[text.charCodeAt(at)]) at++
    else {
      let next = at
      while (text.charCodeAt(next) === BACKSLASH) next++
      if (next === at || !ESCAPED_SPACE[text.charCodeAt(next)]) return at
      at = next + 1
    }
  }
}

/** By character code: is it one of these? */
function signs(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 1 << 16 }, (_, code) => Number(pattern.test(String.fromCharCode(code))))
}
