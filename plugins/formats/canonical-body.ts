import { isHuge, type JsonObject, type Prompt } from 'deflector'
import { DATA, type Place, type Rule, rulesOf } from './compiled-rules.ts'
import { exactText, isInexact, numberText, parseExactly } from './exact-number.ts'
import { plainText } from './plain-text.ts'
import { isSessionId } from './session-id.ts'

/**
 * The one spelling of all bodies that ask for the same answer: keys sorted, numbers normalised, and without what cannot
 * change the answer (`compiled-rules.ts`). Text stays as it is.
 */

/** Beyond this a body is hashed as it is: no real request is nested so deeply. */
const DEPTH_LIMIT = 400
/** The same for an object of more keys: they are sorted in one go. */
const KEYS_LIMIT = 4096

type Fields = JsonObject

/** A number or a depth was met that cannot be written here. */
export class Unfit extends Error {}

/** No canonical form begins so: behind it stand the very bytes of a body, and nothing but the same bytes has its key. */
export const AS_IT_STANDS = 'as it stands:'
/** Beyond this many bytes a body with numbers that do not fit a double counts as it stands: spelling them takes long. */
export const EXACT_LIMIT = 64 << 10

/** A body, the bytes that it was parsed from, and the dialect that says which of its fields count. */
export type Spelled = Pick<Prompt, 'dialect' | 'body' | 'bytes'>

/** `bytes` are read again when a number in them does not fit a double. */
export function canonicalBody({ dialect, body, bytes }: Spelled): string {
  const place = rulesOf(dialect)
  try {
    return whole(body, place)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
  }
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    if (bytes.length <= EXACT_LIMIT) return whole(parseExactly(json), place)
  } catch {
    // Too deep, or a number too long: the same as too large.
  }
  return AS_IT_STANDS + json
}

function whole(body: unknown, place: Place): string {
  const writer = new BodyWriter(body, place)
  writer.run(Number.POSITIVE_INFINITY)
  return writer.text
}

/** A list or an object that is being written. */
interface Open {
  readonly place: Place
  readonly fields: Fields
  /** Of an object: its keys in order. */
  readonly keys: readonly string[] | undefined
  readonly values: readonly unknown[]
  /** What comes next. */
  at: number
  empty: boolean
}

/** A long string, and where its rest begins. */
interface Long {
  readonly value: string
  at: number
}

/** Characters of a string that are written at once. */
const PIECE = 64 << 10
/** Characters that take as long to write as a value. */
const STEP_LENGTH = 128

const NONE: readonly unknown[] = []
const NO_FIELDS: Fields = {}

/** Writes a body's canonical form, so much at a time. Throws `Unfit`. */
export class BodyWriter {
  /** What was written and not yet taken. */
  text = ''
  /** Call ids and their order of appearance. */
  readonly #calls = new Map<string, number>()
  readonly #stack: Open[] = []
  /** The string that is being written. */
  #long: Long | undefined
  /** Steps that are left of a run; a text takes more than one. */
  #left = 0

  constructor(body: unknown, place: Place) {
    this.#write(body, place)
  }

  /** Hands over what was written since the last time. */
  take(): string {
    const { text } = this
    this.text = ''
    return text
  }

  /** Writes about that many values, or as much text; true when there is nothing more to write. */
  run(steps: number): boolean {
    this.#left = steps
    for (let open = this.#stack.at(-1); open; open = this.#stack.at(-1)) {
      while (this.#long) {
        if (this.#left <= 0) return false
        this.#writeLong(this.#long)
      }
      const { keys, values } = open
      const length = keys ? keys.length : values.length
      const depth = this.#stack.length
      while (open.at < length && this.#stack.length === depth && !this.#long) {
        if (this.#left-- <= 0) return false
        if (keys) this.#field(open, keys[open.at++] ?? '')
        else this.#item(open, values[open.at++])
      }
      if (this.#stack.length > depth || this.#long) continue
      this.#stack.pop()
      this.text += keys ? '}' : ']'
    }
    return true
  }

  #item(open: Open, value: unknown): void {
    if (!open.empty) this.text += ','
    open.empty = false
    this.#write(value, open.place)
  }

  #field(open: Open, key: string): void {
    const { place, fields } = open
    const value = fields[key]
    if (value === undefined || (value === null && place.isBody)) return
    const rule = place.rules.get(key)
    if (rule !== undefined && isLeftOut(rule, value, fields)) return
    this.text += open.empty ? `${quoted(key)}:` : `,${quoted(key)}:`
    open.empty = false
    if (rule === undefined) this.#write(value, DATA)
    else this.#ruled(value, rule, fields)
  }

  #ruled(value: unknown, rule: Rule, fields: Fields): void {
    if (rule.kind === 'place') {
      const kept = rule.without ? withoutFirst(value, rule.without) : value
      this.#write((rule.text ? plainText(kept) : undefined) ?? kept, rule.place)
    } else if (rule.kind === 'call id' && typeof value === 'string' && (rule.when?.(fields) ?? true)) this.#call(value)
    else this.#write(value, DATA)
  }

  #write(value: unknown, place: Place): void {
    switch (typeof value) {
      case 'string':
        if (value.length > PIECE) this.#long = { value, at: 0 }
        else {
          this.text += quoted(value)
          this.#left -= Math.ceil(value.length / STEP_LENGTH)
        }
        return
      case 'number':
        if (isInexact(value)) throw new Unfit()
        this.text += numberText(value)
        return
      case 'object':
        break
      default:
        this.text += String(value)
        return
    }
    if (value === null) {
      this.text += 'null'
      return
    }
    const exact = exactText(value)
    if (exact !== undefined) {
      this.text += exact
      return
    }
    if (this.#stack.length >= DEPTH_LIMIT) throw new Unfit()
    if (Array.isArray(value)) {
      this.text += '['
      this.#stack.push({ place, fields: NO_FIELDS, keys: undefined, values: value, at: 0, empty: true })
    } else {
      this.text += '{'
      const fields = value as Fields
      this.#stack.push({ place, fields, keys: sortedKeys(fields), values: NONE, at: 0, empty: true })
    }
  }

  /** So much of a long string. It is not cut between the halves of a pair, which would be written as escapes. */
  #writeLong(long: Long): void {
    const { value, at } = long
    let end = Math.min(at + PIECE, value.length)
    const last = value.charCodeAt(end - 1)
    if (end < value.length && last >= 0xd800 && last <= 0xdbff) end++
    const piece = JSON.stringify(value.slice(at, end)).slice(1, -1)
    this.text += at === 0 ? `"${piece}` : piece
    this.#left -= PIECE / STEP_LENGTH
    long.at = end
    if (end < value.length) return
    this.text += '"'
    this.#long = undefined
  }

  #call(id: string): void {
    const known = this.#calls.get(id) ?? this.#calls.size
    this.#calls.set(id, known)
    this.text += `#${known}`
  }
}

function isLeftOut(rule: Rule, value: unknown, fields: Fields): boolean {
  switch (rule.kind) {
    case 'noise':
      return rule.when?.(fields) ?? true
    case 'session':
      return isSessionId(value)
    default:
      return false
  }
}

function withoutFirst(list: unknown, isLeftOut: (item: unknown) => boolean): unknown {
  if (!Array.isArray(list)) return list
  const at = list.findIndex(isLeftOut)
  return at < 0 ? list : list.toSpliced(at, 1)
}

/** What stands in quotes as it is. */
const BARE = /^[ !#-[\]-~]*$/

/** As `JSON.stringify` writes it; for the many short strings of a body a look is cheaper than the call. */
const quoted = (text: string): string => (text.length < 64 && BARE.test(text) ? `"${text}"` : JSON.stringify(text))

function sortedKeys(fields: Fields): string[] {
  if (isHuge(fields)) throw new Unfit()
  const keys = Object.keys(fields)
  if (keys.length > KEYS_LIMIT) throw new Unfit()
  return sorted(keys)
}

/** In place. `Array.sort` costs ten times this for the few keys that most objects have. */
function sorted(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] ?? ''
    let hole = i
    for (let before = keys[hole - 1]; before !== undefined && before > key; before = keys[hole - 1])
      keys[hole--] = before
    keys[hole] = key
  }
  return keys
}
