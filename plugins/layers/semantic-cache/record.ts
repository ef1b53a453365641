import { z } from 'zod'
import type { Entry } from './entries.ts'

/** Where entries stand in a store that replicas share. The fingerprint keeps vectors of other weights apart. */
export const prefixOf = (fingerprint: string): string => `l1b:${fingerprint}:`
export const storeKey = (
  fingerprint: string,
  { partition, canonical }: Pick<Entry, 'partition' | 'canonical'>,
): string => `${prefixOf(fingerprint)}${partition}:${canonical}`

/** Partition and canonical key of an entry, by where it stands. */
export function placeOf(key: string, fingerprint: string): [partition: string, canonical: string] {
  const place = key.slice(prefixOf(fingerprint).length)
  const colon = place.indexOf(':')
  return [place.slice(0, colon), place.slice(colon + 1)]
}

const NEWLINE = 0x0a
const headSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  partition: z.string(),
  canonical: z.string(),
  text: z.string(),
  freshUntil: z.number(),
  /** Little-endian float32, base64. */
  vector: z.string().optional(),
  bytes: z.number(),
})

/** An entry for a store: one line of JSON, then the stored answer. */
export function encodeRecord(
  { id, partition, canonical, text, freshUntil, vector }: Entry,
  value: Uint8Array,
): Uint8Array {
  const floats = vector && Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
  const head = {
    v: 1,
    id,
    partition,
    canonical,
    text,
    freshUntil,
    ...(floats && { vector: floats }),
    bytes: value.length,
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), value])
}

/** Throws on what is no record. */
export function decodeRecord(record: Uint8Array): { readonly entry: Entry; readonly value: Uint8Array } {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const end = bytes.indexOf(NEWLINE)
  const {
    bytes: length,
    vector,
    v: _,
    ...head
  } = headSchema.parse(JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))))
  const value = bytes.subarray(end + 1)
  if (value.length !== length) throw new Error('the record is not as long as it says')
  return { entry: vector === undefined ? head : { ...head, vector: floatsOf(vector) }, value }
}

function floatsOf(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
