import { crc32 } from 'node:zlib'
import type { StoreEntry } from 'deflector'

/**
 * `DFL2`, then until when the value is fresh (milliseconds since 1970, a big-endian double), then a checksum, then the
 * value. The checksum is over the key as well: bytes that were cut, changed, or copied to where another key looks are
 * none of ours.
 */
const MARK = Buffer.from('DFL2')
const SUM_AT = MARK.length + 8
const HEAD = SUM_AT + 4

/** `freshUntil`: milliseconds since 1970. The value is copied. */
export function encodeValue(key: string, value: Uint8Array, freshUntil: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD + value.byteLength)
  MARK.copy(bytes)
  bytes.writeDoubleBE(freshUntil, MARK.length)
  bytes.set(value, HEAD)
  bytes.writeUInt32BE(sumOf(key, bytes), SUM_AT)
  return bytes
}

/** `undefined` for what is none of ours. */
export function decodeValue(key: string, bytes: Buffer, now: number): StoreEntry | undefined {
  if (!isMarked(bytes) || sumOf(key, bytes) !== bytes.readUInt32BE(SUM_AT)) return undefined
  return { value: bytes.subarray(HEAD), fresh: now < bytes.readDoubleBE(MARK.length) }
}

/** Has it our shape, whatever is in it? */
const isMarked = (bytes: Buffer): boolean => bytes.length >= HEAD && bytes.subarray(0, MARK.length).equals(MARK)

const sumOf = (key: string, bytes: Buffer): number =>
  crc32(bytes.subarray(HEAD), crc32(bytes.subarray(0, SUM_AT), crc32(key)))
