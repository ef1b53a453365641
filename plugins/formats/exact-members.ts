import { atOnce, endOfString, endOfValue, isObject, JSON_BYTES, type Steps, skipSpace } from 'deflector'
import { parseExact } from './exact-json.ts'

const { OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET } = JSON_BYTES

/**
 * A parsed body whose members of these names have every number as it is spelled in the source: arguments and schemas of
 * tools are the user's own. Of the source only such members that hold a number are parsed again, the rest is looked over.
 */
export function withExactMembers<T>(body: T, source: Uint8Array | string | undefined, names: ReadonlySet<string>): T {
  return atOnce(exactMembers(body, source, names))
}

/** The same in steps: one for each item of a list that is a member of the body. */
export function* exactMembers<T>(
  body: T,
  source: Uint8Array | string | undefined,
  names: ReadonlySet<string>,
): Steps<T> {
  // Most bodies hold none, and are only looked at.
  if (source === undefined || !holdsNumber(body, names)) return body
  yield
  const holders = new Set<unknown>()
  gather(body, names, holders)
  yield
  return (yield* new Source(bufferOf(source), names, holders).body(body)) as T
}

const bufferOf = (source: Uint8Array | string): Buffer =>
  typeof source === 'string' ? Buffer.from(source) : Buffer.from(source.buffer, source.byteOffset, source.byteLength)

/** Without names: does the value itself hold one? */
function holdsNumber(value: unknown, names?: ReadonlySet<string>): boolean {
  if (typeof value === 'number') return !names
  if (Array.isArray(value)) return value.some(item => holdsNumber(item, names))
  if (!isObject(value)) return false
  for (const name in value) if (holdsNumber(value[name], names?.has(name) ? undefined : names)) return true
  return false
}

/** The lists and objects that hold a number in a member of these names join `holders`. */
function gather(value: unknown, names: ReadonlySet<string>, holders: Set<unknown>): boolean {
  let holds = false
  if (Array.isArray(value)) {
    for (const item of value) if (gather(item, names, holders)) holds = true
  } else if (isObject(value)) {
    for (const name in value)
      if (names.has(name) ? holdsNumber(value[name]) : gather(value[name], names, holders)) holds = true
  }
  if (holds) holders.add(value)
  return holds
}

/** The text that a value was parsed from, read once from its beginning to its end. */
class Source {
  readonly #json: Buffer
  readonly #names: ReadonlySet<string>
  readonly #holders: ReadonlySet<unknown>
  #at: number

  constructor(json: Buffer, names: ReadonlySet<string>, holders: ReadonlySet<unknown>) {
    this.#json = json
    this.#names = names
    this.#holders = holders
    this.#at = skipSpace(json, 0)
  }

  /** As `read`, for the whole text. */
  *body(plain: unknown): Steps<unknown> {
    if (!this.#holders.has(plain) || !isObject(plain)) return this.read(plain)
    const read = new Map<string, unknown>()
    while (this.#hasNext(CLOSE_BRACE)) {
      const name = this.#name()
      const item = plain[name]
      const isList = !this.#names.has(name) && Array.isArray(item) && this.#holders.has(item)
      const isSame = isList && this.#json[this.#at] === OPEN_BRACKET
      read.set(name, isSame ? yield* this.#items(item) : this.#member(name, item))
    }
    return merged(plain, read)
  }

  *#items(plain: readonly unknown[]): Steps<unknown[]> {
    const read: unknown[] = []
    while (this.#hasNext(CLOSE_BRACKET)) {
      read.push(this.read(plain[read.length]))
      yield
    }
    return read
  }

  #member(name: string, plain: unknown): unknown {
    return this.#names.has(name) ? this.#exact(plain) : this.read(plain)
  }

  /** The plain value that stands here, but for the members that are read again. */
  read(plain: unknown): unknown {
    const first = this.#json[this.#at]
    if (this.#holders.has(plain)) {
      if (Array.isArray(plain) && first === OPEN_BRACKET) return this.#list(plain)
      if (isObject(plain) && first === OPEN_BRACE) return this.#object(plain)
    }
    this.#at = endOfValue(this.#json, this.#at)
    return plain
  }

  #list(plain: readonly unknown[]): unknown[] {
    const read: unknown[] = []
    while (this.#hasNext(CLOSE_BRACKET)) read.push(this.read(plain[read.length]))
    return read
  }

  #object(plain: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const read = new Map<string, unknown>()
    while (this.#hasNext(CLOSE_BRACE)) {
      const name = this.#name()
      read.set(name, this.#member(name, plain[name]))
    }
    return merged(plain, read)
  }

  /** Goes on to the next item or member, or behind the end: from the bracket before the first, or from behind the last. */
  #hasNext(close: number): boolean {
    const json = this.#json
    this.#at = skipSpace(json, this.#at)
    if (json[this.#at] !== close) this.#at = skipSpace(json, this.#at + 1)
    if (json[this.#at] !== close) return true
    this.#at++
    return false
  }

  #name(): string {
    const json = this.#json
    const end = endOfString(json, this.#at)
    const quoted = json.toString('utf8', this.#at, end)
    this.#at = skipSpace(json, skipSpace(json, end) + 1)
    return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  }

  #exact(plain: unknown): unknown {
    const start = this.#at
    this.#at = endOfValue(this.#json, start)
    return holdsNumber(plain) ? parseExact(this.#json.toString('utf8', start, this.#at)) : plain
  }
}

/** Of two members with one name the last counts. */
const merged = (
  plain: Readonly<Record<string, unknown>>,
  read: ReadonlyMap<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(plain).map(([name, item]) => [name, read.has(name) ? read.get(name) : item]))
