import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Entry } from './entries.ts'
import { decodeVector, encodeVector } from './vector-text.ts'

/**
 * Key prefix of entries in a shared store. The fingerprint separates keys and vectors of different models. It is hashed because
 * it may hold an address, and so that no part of a key holds a colon.
 */
export const prefixOf = (fingerprint: string): string => `l1b:${hash('sha256', fingerprint, 'hex').slice(0, 16)}:`
export const storeKey = (
  fingerprint: string,
  { partition, canonical }: Pick<Entry, 'partition' | 'canonical'>,
): string => `${prefixOf(fingerprint)}${partition}:${canonical}`

const APART = 'apart'
const GONE = 'gone'

/** Key of the record that two prompts do not share an answer. It has no partition, because it holds in all. */
export const pairKey = (fingerprint: string, one: string, other: string): string =>
  `${prefixOf(fingerprint)}${APART}:${[one, other].sort().join(':')}`

/** Key of the record that an entry was wrong, kept for a while. */
export const goneKey = (
  fingerprint: string,
  { partition, canonical }: Pick<Entry, 'partition' | 'canonical'>,
): string => `${prefixOf(fingerprint)}${GONE}:${partition}:${canonical}`

/** The meaning of a key. */
export type Subject =
  | { readonly is: 'all' }
  | { readonly is: 'pair'; readonly one: string; readonly other: string }
  | { readonly is: 'entry' | 'gone'; readonly partition: string; readonly canonical: string }

export function subjectOf(key: string, fingerprint: string): Subject | undefined {
  const prefix = prefixOf(fingerprint)
  if (key === prefix) return { is: 'all' }
  const [first = '', second = '', third, ...more] = key.slice(prefix.length).split(':')
  if (more.length > 0) return undefined
  if (third === undefined) return { is: 'entry', partition: first, canonical: second }
  if (first === APART) return { is: 'pair', one: second, other: third }
  return first === GONE ? { is: 'gone', partition: second, canonical: third } : undefined
}

const NEWLINE = 0x0a
/** Most bytes of the first line: enough for the longest text that this cache takes, and its vector. */
const HEAD_MOST = 64 << 10
const headSchema = z.object({
  v: z.literal(2),
  id: z.string().max(200),
  partition: z.string(),
  canonical: z.string(),
  text: z.string(),
  comparable: z.boolean(),
  freshUntil: z.number(),
  vector: z.string().optional(),
  bytes: z.number(),
})

/** An entry for a store: one line of JSON, then the stored answer. */
export function encodeRecord({ vector, value: _, ...entry }: Entry, value: Uint8Array): Uint8Array {
  const head = { v: 2, ...entry, ...(vector && { vector: encodeVector(vector) }), bytes: value.length }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), value])
}

/** Throws when the bytes are not a record; the error never quotes them. */
export function decodeRecord(record: Uint8Array): { readonly entry: Entry; readonly value: Uint8Array } {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const end = bytes.subarray(0, HEAD_MOST).indexOf(NEWLINE)
  const head = headSchema.safeParse(jsonOf(bytes.toString('utf8', 0, Math.max(0, end))))
  if (!head.success) throw new Error('the stored value is not a record')
  const { bytes: length, vector, v: _, ...entry } = head.data
  const value = bytes.subarray(end + 1)
  if (value.length !== length) throw new Error('the length of the record differs from its header')
  return { entry: vector === undefined ? entry : { ...entry, vector: floatsOf(vector) }, value }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Largest length of a vector, with rounding. */
const UNIT_MOST = 1.001

/** Refuses vectors that are not of unit length: one would spoil every comparison in its partition. */
function floatsOf(text: string): Float32Array {
  const vector = decodeVector(text)
  const length = Math.hypot(...vector)
  if (!(length <= UNIT_MOST)) throw new Error('the vector of a record is not of unit length')
  return vector
}
