import { exactText, isInexact, numberText, parseExactly } from './exact-number.ts'

/**
 * The one spelling of all bodies that ask for the same answer: keys sorted, numbers normalised, and without what cannot
 * change the answer. That list is closed, so a field nobody thought of makes two keys, never one. Text stays as it is.
 */

/** Top-level fields that are envelope. `model` is here because the key holds the one it resolves to. */
const ENVELOPE = new Set([
  'stream',
  'stream_options',
  'user',
  'safety_identifier',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'client_metadata',
  'model',
])
/** Left out too, because the key holds the session, but only while they are what a session id can be. */
const SESSION_IDS = new Set(['session_id', 'thread_id', 'conversation_id'])
const SESSION_LIMIT = 512
const BILLING = 'x-anthropic-billing-header'
/** A name that a client draws for a tool call, where a message or item refers to it. */
const CALL_IDS = new Set(['tool_call_id', 'tool_use_id', 'call_id'])
/** Beyond this a body is hashed as it stands: recursion must not meet the end of the stack. */
const DEPTH_LIMIT = 400

/**
 * Where in a body we are. Only known places lose anything: below them stands what a user wrote (a schema, a tool's
 * arguments), and there a field called `cache_control` or `id` is the user's own.
 */
type Place = 'body' | 'system' | 'node' | 'item' | 'call' | 'data'

const PLACES: Readonly<Record<Place, Readonly<Record<string, Place>>>> = {
  body: { system: 'system', messages: 'node', contents: 'node', tools: 'node', input: 'item' },
  system: { content: 'node' },
  node: {
    content: 'node',
    parts: 'node',
    source: 'node',
    function: 'node',
    tool_calls: 'call',
    functionCall: 'call',
    functionResponse: 'call',
  },
  item: { content: 'node' },
  call: {},
  data: {},
}

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
      return JSON.stringify(value)
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
  const places = PLACES[place]
  let text = '{'
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key]
    if (value === undefined || (place !== 'data' && isNoise(key, value, place, fields))) continue
    if (text !== '{') text += ','
    text += `${JSON.stringify(key)}:`
    if (place !== 'data' && typeof value === 'string' && namesCall(key, place, fields)) text += callName(value, walk)
    else text += write(asText(key, value, place), Object.hasOwn(places, key) ? (places[key] ?? 'data') : 'data', walk)
  }
  return `${text}}`
}

function isNoise(key: string, value: unknown, place: Place, fields: Fields): boolean {
  if (key === 'cache_control') return place !== 'call'
  // An item that is nothing but a reference says with its id what is meant.
  if (place === 'item') return key === 'id' && !isReference(fields)
  if (place !== 'body') return false
  return value === null || ENVELOPE.has(key) || (SESSION_IDS.has(key) && isSessionId(value))
}

const isSessionId = (value: unknown): boolean => typeof value === 'string' && Buffer.byteLength(value) <= SESSION_LIMIT

const isReference = ({ type, role }: Fields): boolean =>
  type === 'item_reference' || (type === undefined && role === undefined)

/** Only a block that is this line and nothing else: instructions behind it would be lost from the key. */
function isBilling(block: unknown): boolean {
  if (typeof block !== 'object' || block === null || !('text' in block) || typeof block.text !== 'string') return false
  return block.text.startsWith(BILLING) && !block.text.trimEnd().includes('\n')
}

function namesCall(key: string, place: Place, { type }: Fields): boolean {
  if (place === 'body') return false
  if (key === 'id')
    return place === 'call' || (place === 'node' && typeof type === 'string' && type.endsWith('tool_use'))
  return CALL_IDS.has(key)
}

function callName(id: string, { calls }: Walk): string {
  const known = calls.get(id) ?? calls.size
  calls.set(id, known)
  return `#${known}`
}

/** A list of one plain text block says no more than its text: clients switch between the two from turn to turn. */
function asText(key: string, value: unknown, place: Place): unknown {
  const speaks = key === 'content' ? place === 'node' || place === 'item' : key === 'system' && place === 'body'
  if (!speaks || !Array.isArray(value)) return value
  const blocks: readonly unknown[] = key === 'system' ? value.filter(block => !isBilling(block)) : value
  const [block] = blocks
  if (blocks.length !== 1 || typeof block !== 'object' || block === null) return value
  if (!('type' in block) || block.type !== 'text' || !('text' in block)) return value
  const bare = Object.keys(block).every(field => field === 'type' || field === 'text' || field === 'cache_control')
  return bare && typeof block.text === 'string' ? block.text : value
}
