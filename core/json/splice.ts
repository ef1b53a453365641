import { joinInTurns } from './join.ts'
import type { JsonObject } from './object.ts'
import { endOfString, endOfValue, JSON_BYTES, skipSpace } from './scan.ts'

const { QUOTE, OPEN_BRACE, CLOSE_BRACE, COMMA, COLON } = JSON_BYTES

export interface Cut {
  readonly from: number
  readonly to: number
  readonly text: string | Uint8Array
}

/** JSON text for each member that is set; `undefined` for one that is taken away. */
type Edits = Readonly<Record<string, string | Uint8Array | undefined>>

/**
 * Changes top-level members of a JSON object and leaves every other byte as it is: unknown fields, key order, spaces
 * and integers beyond 2^53 all survive, which parsing and writing again would not grant.
 *
 * A value is JSON text to put in place of every member of that name, or after the last member when there is none;
 * `undefined` takes the members away. `bytes` must be an object that `JSON.parse` accepts; what is not throws an `Error`.
 * `parsed` is the same object, where it is at hand: members that are not in it need not be looked for.
 */
export function spliceJson(bytes: Uint8Array, edits: Edits, parsed?: JsonObject): Uint8Array {
  if (isEmpty(edits)) return bytes
  const json = asBuffer(bytes)
  const cuts = cutsFor(json, edits, parsed)
  return cuts.length === 0 ? bytes : withCuts(json, cuts)
}

/** The same for a large text: what is left of it is copied in turns of the event loop. */
export async function spliceLargeJson(bytes: Uint8Array, edits: Edits, parsed?: JsonObject): Promise<Uint8Array> {
  if (isEmpty(edits)) return bytes
  const json = asBuffer(bytes)
  const cuts = cutsFor(json, edits, parsed)
  return cuts.length === 0 ? bytes : withCutsInTurns(json, cuts)
}

function cutsFor(json: Buffer, edits: Edits, parsed: JsonObject | undefined): Cut[] {
  const wanted = new Map(Object.entries(edits))
  const absent = new Map(wanted)
  const cuts: Cut[] = []
  let keptBefore = false
  const look = (): number =>
    eachMember(json, ({ key, before, start, value, to, next }) => {
      absent.delete(key)
      const text = wanted.get(key)
      if (text !== undefined) cuts.push({ from: value, to, text })
      if (text !== undefined || !wanted.has(key)) keptBefore = true
      // A member goes with the comma before it; one at the head has none, and takes the comma after it along.
      else if (keptBefore) cuts.push({ from: before, to, text: '' })
      else cuts.push({ from: start, to: next, text: '' })
    })
  const isNew = parsed !== undefined && !Object.keys(edits).some(key => Object.hasOwn(parsed, key))
  if (isNew) keptBefore = !isEmpty(parsed)
  const end = isNew ? endOfLast(json) : look()
  for (const [key, text] of absent) {
    if (text === undefined) continue
    const name = `${keptBefore ? ',' : ''}${JSON.stringify(key)}:`
    keptBefore = true
    const at = { from: end, to: end }
    if (typeof text === 'string') cuts.push({ ...at, text: name + text })
    else cuts.push({ ...at, text: name }, { ...at, text })
  }
  return cuts
}

/** Where the last member of an object ends. */
function endOfLast(json: Buffer): number {
  let end = json.lastIndexOf(CLOSE_BRACE)
  while (skipSpace(json, end - 1) >= end) end--
  return end
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

interface Place<Key> {
  readonly key: Key
  readonly from: number
  readonly to: number
}

/**
 * `spliceJson` for bytes that are sent again and again, each time with other values for the same members: their places
 * are looked for once. Members that are not there are not added.
 */
export function refiller<Key extends string>(
  ...keys: readonly Key[]
): (bytes: Uint8Array, valueFor: (key: Key) => string) => Uint8Array {
  // Offsets only: they are remembered for as long as a stored answer lives.
  const places = new WeakMap<Uint8Array, readonly Place<Key>[]>()
  const find = (json: Buffer): Place<Key>[] => {
    const found: Place<Key>[] = []
    eachMember(json, ({ key, value, to }) => {
      const wanted = keys.find(one => one === key)
      if (wanted !== undefined) found.push({ key: wanted, from: value, to })
    })
    return found
  }
  return (bytes, valueFor) => {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const known = places.get(bytes) ?? find(json)
    places.set(bytes, known)
    return withCuts(
      json,
      known.map(({ key, from, to }) => ({ from, to, text: valueFor(key) })),
    )
  }
}

export interface Member {
  readonly key: string
  /** Where the value before it ended. */
  readonly before: number
  readonly start: number
  readonly value: number
  readonly to: number
  /** Where the next member begins, or `to` after the last one. */
  readonly next: number
}

/** Visits the members of the object at `from` in order; gives the place where the last value ended. */
export function eachMember(json: Buffer, visit: (member: Member) => void, from = 0): number {
  let at = skipSpace(json, from)
  if (json[at] !== OPEN_BRACE) throw malformed()
  let end = at + 1
  at = skipSpace(json, end)
  while (json[at] !== CLOSE_BRACE) {
    if (json[at] !== QUOTE) throw malformed()
    const start = at
    const keyEnd = endOfString(json, at)
    at = skipSpace(json, keyEnd)
    if (json[at] !== COLON) throw malformed()
    const value = skipSpace(json, at + 1)
    const to = endOfValue(json, value)
    at = skipSpace(json, to)
    const more = json[at] === COMMA
    if (more) at = skipSpace(json, at + 1)
    else if (json[at] !== CLOSE_BRACE) throw malformed()
    visit({ key: keyText(json, start, keyEnd), before: end, start, value, to, next: more ? at : to })
    end = to
  }
  return end
}

/** The text with other text in place of its cuts, which are in order and apart. */
export const withCuts = (json: Buffer, cuts: readonly Cut[]): Uint8Array => Buffer.concat(partsAround(json, cuts))

/** The same for a large text: it is copied in turns of the event loop. */
export const withCutsInTurns = (json: Buffer, cuts: readonly Cut[]): Promise<Uint8Array> =>
  joinInTurns(partsAround(json, cuts))

function partsAround(json: Buffer, cuts: readonly Cut[]): Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = 0
  for (const cut of cuts) {
    parts.push(json.subarray(from, cut.from), typeof cut.text === 'string' ? Buffer.from(cut.text) : cut.text)
    from = cut.to
  }
  parts.push(json.subarray(from))
  return parts
}

function keyText(json: Buffer, start: number, end: number): string {
  const quoted = json.toString('utf8', start, end)
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const malformed = (): Error => new Error('not a JSON object')
