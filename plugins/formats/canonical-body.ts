import { exactText, isInexact, numberText, parseExactly } from './exact-number.ts'

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
    session_id: 'session',
    thread_id: 'session',
    conversation_id: 'session',
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

const SESSION_LIMIT = 512
const BILLING = 'x-anthropic-billing-header'
/** Beyond this a body is hashed as it stands: recursion must not meet the end of the stack. */
const DEPTH_LIMIT = 400

type Fields = Readonly<Record<string, unknown>>

interface Walk {
  /** Call ids and their order of appearance. */
  readonly calls: Map<string, number>
  depth: number
}

/** A number or a depth was met that this walk cannot write. */
class Unfit extends Error {}

/** `bytes` are those that `body` was parsed from; they are read again when a number in them does not fit a double. */
export function canonicalBody(body: Fields, bytes: Uint8Array): string {
  try {
    return write(body, 'body', { calls: new Map(), depth: 0 })
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
  }
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return write(parseExactly(json), 'body', { calls: new Map(), depth: 0 })
  } catch {
    return `as it stands:${json}` // no canonical form begins so: nothing but the same bytes has this key
  }
}

function write(value: unknown, place: Place, walk: Walk): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      if (isInexact(value)) throw new Unfit()
      return numberText(value)
    case 'object':
      break
    default:
      return String(value)
  }
  if (value === null) return 'null'
  if (++walk.depth > DEPTH_LIMIT) throw new Unfit()
  const text = Array.isArray(value) ? writeArray(value, place, walk) : writeObject(value as Fields, place, walk)
  walk.depth--
  return text
}

function writeArray(values: readonly unknown[], place: Place, walk: Walk): string {
  let text = '['
  for (const value of values) {
    if (place === 'system' && isBilling(value)) continue
    if (text !== '[') text += ','
    text += write(value, place, walk)
  }
  return `${text}]`
}

function writeObject(fields: Fields, place: Place, walk: Walk): string {
  const exact = exactText(fields)
  if (exact !== undefined) return exact
  let text = '{'
  for (const key of sorted(Object.keys(fields))) {
    const value = fields[key]
    if (value === undefined || (value === null && place === 'body')) continue
    const written = writeField(value, RULES[place].get(key) ?? 'data', fields, walk)
    if (written === undefined) continue
    text += text === '{' ? `${quoted(key)}:${written}` : `,${quoted(key)}:${written}`
  }
  return `${text}}`
}

/** `undefined`: the field is left out. */
function writeField(value: unknown, rule: Rule, fields: Fields, walk: Walk): string | undefined {
  switch (rule) {
    case 'noise':
      return undefined
    case 'session':
      return isSessionId(value) ? undefined : write(value, 'data', walk)
    case 'item id':
      return isReference(fields) ? write(value, 'data', walk) : undefined
    case 'call id':
      return typeof value === 'string' ? callName(value, walk) : write(value, 'data', walk)
    case 'use id':
      return typeof value === 'string' && isToolUse(fields) ? callName(value, walk) : write(value, 'data', walk)
    case 'said':
      return write(plainText(value) ?? value, 'node', walk)
    case 'system':
      return write(plainText(withoutBilling(value)) ?? value, 'system', walk)
    default:
      return write(value, rule, walk)
  }
}

/** What stands in quotes as it is. */
const BARE = /^[ !#-[\]-~]*$/

/** As `JSON.stringify` writes it; for the many short strings of a body a look is cheaper than the call. */
const quoted = (text: string): string => (text.length < 64 && BARE.test(text) ? `"${text}"` : JSON.stringify(text))

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

const isSessionId = (value: unknown): boolean => typeof value === 'string' && Buffer.byteLength(value) <= SESSION_LIMIT

const isReference = ({ type, role }: Fields): boolean =>
  type === 'item_reference' || (type === undefined && role === undefined)

const isToolUse = ({ type }: Fields): boolean => typeof type === 'string' && type.endsWith('tool_use')

function callName(id: string, { calls }: Walk): string {
  const known = calls.get(id) ?? calls.size
  calls.set(id, known)
  return `#${known}`
}

/** Only a block that is this line and nothing else: instructions behind it would be lost from the key. */
function isBilling(block: unknown): boolean {
  if (typeof block !== 'object' || block === null || !('text' in block) || typeof block.text !== 'string') return false
  return block.text.startsWith(BILLING) && !block.text.trimEnd().includes('\n')
}

const withoutBilling = (system: unknown): unknown =>
  Array.isArray(system) ? system.filter(block => !isBilling(block)) : system

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
