import { GatewayError, isGatewayError } from '../errors.ts'
import { PIECE, readLongString } from './long-string.ts'
import {
  countMembers,
  endOfString,
  endOfValue,
  JSON_BYTES,
  malformed,
  NESTING_LIMIT,
  type Scan,
  scanOn,
  skipSpace,
  TooDeep,
} from './scan.ts'
import { nextTurn, timeSlice } from './time-slices.ts'

const { QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON } = JSON_BYTES

/** Each level looks once more for the ends of its values; what is nested deeper is parsed in one go. */
const DEPTH_LIMIT = 32
/** Members of an object whose very keys take milliseconds to list. */
const HUGE = 4096

/**
 * `JSON.parse` for a body from outside. Throws `bad_request` where a member stands twice in an object: readers disagree
 * on which one counts, so the vendor could be asked something else than what the layers here saw.
 */
export const parseJson = (bytes: Uint8Array): unknown => parsePiece(asBuffer(bytes), 'refuse')

export interface ParseOptions {
  /** What becomes of a member that stands twice: `refuse` (the default), or the last one counts, as with `JSON.parse`. */
  readonly repeats?: 'refuse' | 'last'
}

/** The same in turns of the event loop, so that other requests wait for no more than a piece of a large body. */
export async function parseLargeJson(bytes: Uint8Array, { repeats = 'refuse' }: ParseOptions = {}): Promise<unknown> {
  await nextTurn()
  const json = asBuffer(bytes)
  try {
    const from = skipSpace(json, 0)
    let to = json.length
    while (to > from && skipSpace(json, to - 1) === to) to--
    return await parseRange({ json, yieldIfDue: timeSlice(), repeats }, from, to, 0)
  } catch (error) {
    throw refusal(error)
  }
}

interface Work {
  readonly json: Buffer
  readonly yieldIfDue: () => Promise<void> | undefined
  readonly repeats: 'refuse' | 'last'
}

/** Parses the value between the two places: its items in batches, and those that are too large for one by themselves. */
async function parseRange(work: Work, from: number, to: number, depth: number): Promise<unknown> {
  const { json, yieldIfDue, repeats } = work
  const open = json[from]
  if (open === QUOTE && to - from > PIECE) return readLongString(work, from, to)
  if (to - from <= PIECE || depth > DEPTH_LIMIT || (open !== OPEN_BRACE && open !== OPEN_BRACKET)) {
    await yieldIfDue()
    if (to - from > PIECE && open !== OPEN_BRACE && open !== OPEN_BRACKET) throw endless()
    return parsePiece(json.subarray(from, to), repeats)
  }
  const fields = open === OPEN_BRACE
  const close = fields ? CLOSE_BRACE : CLOSE_BRACKET
  const list: unknown[] = []
  const object: Record<string, unknown> = {}
  let members = 0
  const add = (key: string, item: unknown): void => {
    define(object, key, item, repeats)
    members++
  }
  const addBatch = (start: number, end: number): void => {
    if (start >= end) return
    const value = parsePiece(enclosed(json, start, end, fields), repeats)
    if (Array.isArray(value)) for (const item of value) list.push(item)
    else for (const [key, item] of Object.entries(value as object)) add(key, item)
  }
  let at = skipSpace(json, from + 1)
  let start = at
  let end = at
  while (json[at] !== close) {
    const item = at
    if (fields) {
      if (json[at] !== QUOTE) throw malformed()
      at = skipSpace(json, endOfString(json, at))
      if (json[at] !== COLON) throw malformed()
      at = skipSpace(json, at + 1)
    }
    const value = at
    const scan = scanned(json, value)
    while (scan.depth > 0 || scan.quoted) {
      await yieldIfDue()
      scanOn(json, scan, scan.at + PIECE)
    }
    at = scan.at
    const large = at - value > PIECE
    if (large || at - start > PIECE) {
      addBatch(start, end)
      start = item
      await yieldIfDue()
    }
    end = at
    if (large) {
      const parsed = await parseRange(work, value, at, depth + 1)
      if (fields) add(keyAt(json, item), parsed)
      else list.push(parsed)
    }
    at = skipSpace(json, at)
    if (json[at] === COMMA) {
      at = skipSpace(json, at + 1)
      if (json[at] === close) throw malformed()
    } else if (json[at] !== close) throw malformed()
    if (large) start = end = at
  }
  if (at !== to - 1) throw malformed()
  addBatch(start, end)
  if (members > HUGE) huge.add(object)
  return fields ? object : list
}

/** The end of the value at `at`, or the first piece of the way there: the depth is above 0 then, or a string is open. */
function scanned(json: Buffer, at: number): Scan {
  const scan = { at, depth: 0, quoted: false }
  const first = json[at]
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET && first !== QUOTE) scan.at = endOfValue(json, at)
  else scanOn(json, scan, at + PIECE)
  return scan
}

function define(
  object: Record<string, unknown>,
  key: string,
  value: unknown,
  repeats: NonNullable<ParseOptions['repeats']>,
): void {
  if (repeats === 'refuse' && Object.hasOwn(object, key)) throw twice(key)
  // `__proto__` is a name like any other, as with `JSON.parse`.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

/** Holds one batch after the other: a buffer for each would be as much memory again as the body. */
const scratch = Buffer.allocUnsafeSlow(PIECE + 2)

/** Members or items between brackets of their own, until the next call. */
function enclosed(json: Buffer, start: number, end: number, fields: boolean): Buffer {
  const size = end - start + 2
  // A name may be of any length.
  const batch = size > scratch.length ? Buffer.allocUnsafeSlow(size) : scratch.subarray(0, size)
  batch[0] = fields ? OPEN_BRACE : OPEN_BRACKET
  json.copy(batch, 1, start, end)
  batch[size - 1] = fields ? CLOSE_BRACE : CLOSE_BRACKET
  return batch
}

const keyAt = (json: Buffer, at: number): string => String(JSON.parse(json.toString('utf8', at, endOfString(json, at))))

function parsePiece(json: Buffer, repeats: NonNullable<ParseOptions['repeats']>): unknown {
  let value: unknown
  let members = 0
  try {
    members = countMembers(json)
    value = JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw refusal(error)
  }
  if (repeats === 'last') return value
  if (typeof value === 'object' && value !== null && members !== keptMembers(value)) throw twice(repeatedMember(json))
  return value
}

/** How many members the parser kept; of two with one name it keeps the last. */
function keptMembers(value: object): number {
  let count = 0
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const one = rest.pop()
    if (Array.isArray(one)) {
      for (const item of one) if (typeof item === 'object' && item !== null) rest.push(item)
      continue
    }
    const fields = one as Readonly<Record<string, unknown>>
    for (const key of Object.keys(fields)) {
      count++
      const item = fields[key]
      if (typeof item === 'object' && item !== null) rest.push(item)
    }
  }
  return count
}

/** The name of a member that stands twice in the outermost object; deeper ones are not looked for. */
function repeatedMember(json: Buffer): string | undefined {
  const seen = new Set<string>()
  let at = skipSpace(json, 0)
  if (json[at] !== OPEN_BRACE) return undefined
  do {
    at = skipSpace(json, at + 1)
    if (json[at] !== QUOTE) return undefined
    const key = keyAt(json, at)
    if (seen.has(key)) return key
    seen.add(key)
    const colon = skipSpace(json, endOfString(json, at))
    at = skipSpace(json, endOfValue(json, skipSpace(json, colon + 1)))
  } while (json[at] === COMMA)
  return undefined
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const huge = new WeakSet<object>()

/** Has this object, out of a large body, so many members that even `Object.keys` would hold everybody up? */
export const isHuge = (value: object): boolean => huge.has(value)

function refusal(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  if (!(error instanceof TooDeep)) return notJson()
  return new GatewayError('bad_request', `the body is nested more than ${NESTING_LIMIT} levels deep`)
}

const notJson = (): GatewayError => new GatewayError('bad_request', 'the body is not JSON; send a JSON object in UTF-8')

/** A number of that many digits is no number that anybody means, but takes long to read. */
const endless = (): GatewayError =>
  new GatewayError('bad_request', 'the body is not JSON that is read here: a number in it is too long')

/** A name that long is none that a format knows, and may be what a user wrote. */
const NAME_LIMIT = 64

function twice(key: string | undefined): GatewayError {
  const named = key !== undefined && key.length <= NAME_LIMIT ? key : undefined
  return new GatewayError(
    'bad_request',
    named === undefined ? 'a member stands twice in an object of the body' : `${named} stands twice in the body`,
    named === undefined ? {} : { param: named },
  )
}
