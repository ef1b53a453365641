import { joinInTurns } from './join.ts'
import { timeSlice } from './time-slices.ts'

/** Characters that are written in one go: half a millisecond at the worst. */
const PIECE = 64 << 10
/** What any value but a string, a list and an object counts for, and what stands around each. */
const SCALAR = 8

type Stringify = (value: unknown) => string

/**
 * The JSON text of a large value as UTF-8, the same as `stringify` gives for all of it, in turns of the event loop. Lists
 * and objects are written by their items, long strings by their pieces. Only memory for a string that was joined of many
 * others, or that others are joined of, is gathered in one go: some milliseconds for ten megabytes.
 */
export async function writeLargeJson(value: unknown, stringify: Stringify = JSON.stringify): Promise<Buffer> {
  const writer = new JsonWriter(stringify)
  await writer.write(value)
  return joinInTurns(writer.parts())
}

class JsonWriter {
  readonly #stringify: Stringify
  readonly #parts: Buffer[] = []
  readonly #yieldIfDue = timeSlice()
  /** What was written and is not among the parts yet. */
  #text = ''

  constructor(stringify: Stringify) {
    this.#stringify = stringify
  }

  parts(): readonly Buffer[] {
    this.#cut()
    return this.#parts
  }

  async write(value: unknown): Promise<void> {
    if (roomAfter(value, PIECE) >= 0) await this.#add(this.#stringify(value))
    else if (typeof value === 'string') await this.#writeString(value)
    else if (Array.isArray(value)) await this.#writeList(value)
    else await this.#writeObject(value as object)
  }

  /** Many small items at once. */
  async #writeList(list: readonly unknown[]): Promise<void> {
    let before = '['
    let batch: unknown[] = []
    let room = PIECE
    const writeBatch = async (): Promise<void> => {
      if (batch.length === 0) return
      await this.#add(before + this.#stringify(batch).slice(1, -1))
      before = ','
      batch = []
    }
    for (const item of list) {
      room = roomAfter(item, room)
      if (room < 0) {
        await writeBatch()
        room = roomAfter(item, PIECE)
      }
      if (room >= 0) batch.push(item)
      else {
        this.#text += before
        before = ','
        await this.write(item)
        room = PIECE
      }
    }
    await writeBatch()
    this.#text += ']'
  }

  async #writeObject(object: object): Promise<void> {
    let before = '{'
    for (const [name, item] of Object.entries(object)) {
      if (item === undefined) continue
      this.#text += `${before}${JSON.stringify(name)}:`
      before = ','
      await this.write(item)
    }
    this.#text += before === '{' ? '{}' : '}'
  }

  /** It is not cut between the halves of a pair, which would be written as escapes. */
  async #writeString(text: string): Promise<void> {
    this.#text += '"'
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE, text.length)
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++
      await this.#add(JSON.stringify(text.slice(at, end)).slice(1, -1))
      at = end
    }
    this.#text += '"'
  }

  async #add(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= PIECE) this.#cut()
    const turn = this.#yieldIfDue()
    if (turn) await turn
  }

  #cut(): void {
    this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** How many of so many characters are left once the value is written; below zero when it is longer, by some. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - SCALAR
  let left = room - SCALAR
  if (Array.isArray(value)) {
    for (const item of value) {
      left = roomAfter(item, left)
      if (left < 0) break
    }
  } else if (isPlain(value)) {
    for (const name in value) {
      left = roomAfter(value[name], left - name.length)
      if (left < 0) break
    }
  }
  return left
}

/** An object as JSON has them. Any other knows itself how it is written. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON !== 'function'

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
