import { isHuge } from 'deflector'
import { exactText, isInexact, numberText, parseExactly } from './exact-number.ts'
import { isSessionId, SESSION_FIELDS } from './session-id.ts'

/**
 * The one spelling of all bodies that ask for the same answer: keys sorted, numbers normalised, and without what cannot
 * change the answer. That list is closed, so a field nobody thought of makes two keys, never one. Text stays as it is.
 */

/**
 * Where in a body we are. Only known places have rules: below them stands what a user wrote (a schema, a tool's
 * arguments), and there a field called `cache_control` or `id` is the user's own.
 */
type Place = 'body' | 'system' | 'node' | 'item' | 'call' | 'data'

/**
 * What becomes of a field. A place: its value is written by that place's rules. `noise`: left out. `session`: left out
 * while it is what a session id can be, as the key holds the session. `said`: a `node` that may be plain text.
 * `call id`: a name drawn for a tool call, here or where something refers to it. `use id`: the same, on a block that is a
 * tool call. `item id`: left out, unless the item is nothing but a reference to it.
 */
type Rule = Place | 'noise' | 'session' | 'said' | 'call id' | 'use id' | 'item id'

const rules = (table: Readonly<Record<string, Rule>>): ReadonlyMap<string, Rule> => new Map(Object.entries(table))

const BLOCK = {
  cache_control: 'noise',
  content: 'said',
  tool_call_id: 'call id',
  tool_use_id: 'call id',
  call_id: 'call id',
} as const

const sessionFields = Object.fromEntries(SESSION_FIELDS.map(field => [field, 'session'] as const))

const RULES: Readonly<Record<Place, ReadonlyMap<string, Rule>>> = {
  body: rules({
    stream: 'noise',
    stream_options: 'noise',
    user: 'noise',
    safety_identifier: 'noise',
    metadata: 'noise',
    prompt_cache_key: 'noise',
    prompt_cache_retention: 'noise',
    client_metadata: 'noise',
    cache_control: 'noise',
    model: 'noise', // the key holds the one it resolves to
    ...sessionFields,
    system: 'system',
    messages: 'node',
    contents: 'node',
    tools: 'node',
    input: 'item',
  }),
  system: rules({ ...BLOCK }),
  node: rules({
    ...BLOCK,
    id: 'use id',
    parts: 'node',
    source: 'node',
    function: 'node',
    tool_calls: 'call',
    functionCall: 'call',
    functionResponse: 'call',
  }),
  item: rules({ ...BLOCK, id: 'item id' }),
  call: rules({ id: 'call id' }),
  data: rules({}),
}

/** What one client sends as a system block of its own. Anything more may be an instruction. */
const BILLING = /^x-anthropic-billing-header:(?: *(?:cc_version|cc_entrypoint|cch)=[\w.-]{1,64};)+\s*$/
/** Beyond this a body is hashed as it stands: nobody means it. */
const DEPTH_LIMIT = 400
/** The same for an object of more keys: they are sorted in one go. */
const KEYS_LIMIT = 4096

type Fields = Readonly<Record<string, unknown>>

/** A number or a depth was met that cannot be written here. */
export class Unfit extends Error {}

/** No canonical form begins so: behind it stand the very bytes of a body, and nothing but the same bytes has its key. */
export const AS_IT_STANDS = 'as it stands:'
/** Beyond this many bytes a body with numbers that do not fit a double counts as it stands: spelling them takes long. */
export const EXACT_LIMIT = 64 << 10

/** `bytes` are those that `body` was parsed from; they are read again when a number in them does not fit a double. */
export function canonicalBody(body: Fields, bytes: Uint8Array): string {
  try {
    return whole(body)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
  }
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    if (bytes.length <= EXACT_LIMIT) return whole(parseExactly(json))
  } catch {
    // Too deep, or a number too long: the same as too large.
  }
  return AS_IT_STANDS + json
}

function whole(body: unknown): string {
  const writer = new BodyWriter(body)
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

/** Characters of a string that are written at once, and for how many values that counts. */
const PIECE = 64 << 10
const PIECE_STEPS = 500

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

  constructor(body: unknown) {
    this.#write(body, 'body')
  }

  /** Hands over what was written since the last time. */
  take(): string {
    const { text } = this
    this.text = ''
    return text
  }

  /** Writes about that many values; true when there is nothing more to write. */
  run(steps: number): boolean {
    for (let open = this.#stack.at(-1); open; open = this.#stack.at(-1)) {
      while (this.#long) {
        if (steps <= 0) return false
        steps -= PIECE_STEPS
        this.#writeLong(this.#long)
      }
      const { keys, values } = open
      const length = keys ? keys.length : values.length
      const depth = this.#stack.length
      while (open.at < length && this.#stack.length === depth && !this.#long) {
        if (steps-- <= 0) return false
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
    if (value === undefined || (value === null && place === 'body')) return
    const rule = RULES[place].get(key) ?? 'data'
    if (isLeftOut(rule, value, fields)) return
    this.text += open.empty ? `${quoted(key)}:` : `,${quoted(key)}:`
    open.empty = false
    this.#ruled(value, rule, fields)
  }

  #ruled(value: unknown, rule: Rule, fields: Fields): void {
    if (rule === 'call id' || rule === 'use id') {
      const isCall = typeof value === 'string' && (rule === 'call id' || isToolUse(fields))
      if (isCall) this.#call(value)
      else this.#write(value, 'data')
    } else if (rule === 'said') this.#write(plainText(value) ?? value, 'node')
    else if (rule === 'system') this.#system(withoutBilling(value))
    else if (rule === 'noise' || rule === 'session' || rule === 'item id') this.#write(value, 'data')
    else this.#write(value, rule)
  }

  #system(value: unknown): void {
    this.#write(plainText(value) ?? value, 'system')
  }

  #write(value: unknown, place: Place): void {
    switch (typeof value) {
      case 'string':
        if (value.length <= PIECE) this.text += quoted(value)
        else this.#long = { value, at: 0 }
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
  switch (rule) {
    case 'noise':
      return true
    case 'session':
      return isSessionId(value)
    case 'item id':
      return !isReference(fields)
    default:
      return false
  }
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

const isReference = ({ type, role }: Fields): boolean =>
  type === 'item_reference' || (type === undefined && role === undefined)

const isToolUse = ({ type }: Fields): boolean => typeof type === 'string' && type.endsWith('tool_use')

/** One plain text block of exactly the shape that the client sends: each name once, and short values. */
function isBilling(block: unknown): boolean {
  const text = plainText([block])
  if (text === undefined || !BILLING.test(text)) return false
  const names = text.match(/\w+(?==)/g) ?? []
  return new Set(names).size === names.length
}

/** Without the first such block. A client sends one; many of them would have room for a sentence. */
function withoutBilling(system: unknown): unknown {
  if (!Array.isArray(system)) return system
  const at = system.findIndex(isBilling)
  return at < 0 ? system : system.toSpliced(at, 1)
}

/** A list of one plain text block says no more than its text: clients switch between the two from turn to turn. */
function plainText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const block: unknown = value[0]
  if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'text') return undefined
  if (!('text' in block) || typeof block.text !== 'string') return undefined
  for (const field of Object.keys(block)) {
    if (field !== 'type' && field !== 'text' && field !== 'cache_control') return undefined
  }
  return block.text
}
