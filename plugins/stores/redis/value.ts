import type { StoreEntry } from 'deflector'

/** `DFL1`, then until when the value is fresh (milliseconds since 1970, a big-endian double), then the value. */
const MARK = Buffer.from('DFL1')
const HEAD = MARK.length + 8

/** `freshUntil`: milliseconds since 1970. The value is copied. */
export function encodeValue(value: Uint8Array, freshUntil: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD + value.byteLength)
  MARK.copy(bytes)
  bytes.writeDoubleBE(freshUntil, MARK.length)
  bytes.set(value, HEAD)
  return bytes
}

/**
 * What we did not write has no time of its own: it is never fresh, so it can only stand in when all else fails. That
 * is how the entries of an older layout are read.
 */
export function decodeValue(bytes: Buffer, now: number): StoreEntry {
  if (bytes.length < HEAD || !bytes.subarray(0, MARK.length).equals(MARK)) return { value: bytes, fresh: false }
  return { value: bytes.subarray(HEAD), fresh: now < bytes.readDoubleBE(MARK.length) }
}
