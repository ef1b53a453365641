import { crc32 } from 'node:zlib'
import type { StoreEntry } from 'deflector'

/**
 * Layout: `DFL2`, the end of freshness (milliseconds since 1970, a big-endian double), a checksum, the value. The
 * checksum includes the key, so that bytes which were cut, changed or copied to another key are refused.
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

/** `undefined` for bytes that `encodeValue` did not write for this key. */
export function decodeValue(key: string, bytes: Buffer, now: number): StoreEntry | undefined {
  if (!isMarked(bytes) || sumOf(key, bytes) !== bytes.readUInt32BE(SUM_AT)) return undefined
  return { value: bytes.subarray(HEAD), fresh: now < bytes.readDoubleBE(MARK.length) }
}

/** Does it begin like an encoded value? */
const isMarked = (bytes: Buffer): boolean => bytes.length >= HEAD && bytes.subarray(0, MARK.length).equals(MARK)

const sumOf = (key: string, bytes: Buffer): number =>
  crc32(bytes.subarray(HEAD), crc32(bytes.subarray(0, SUM_AT), crc32(key)))
