import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The first byte of a sealed file. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/** Bytes of a key (AES-256). */
export const KEY_BYTES = 32

/** Binds a file to its name and format, so that no file stands in for another. */
const associated = (name: string): Buffer => Buffer.from(`deflector credential\0${VERSION}\0${name}`)

/** AES-256-GCM (NIST SP 800-38D) under a fresh nonce: version, nonce, tag, then the encrypted bytes. */
export function seal(plain: Uint8Array, key: Uint8Array, name: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associated(name))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
}

/** `undefined` for bytes that were not sealed with this key under this name, or were changed since. */
export function unseal(sealed: Uint8Array, key: Uint8Array, name: string): Buffer | undefined {
  if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES) return undefined
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associated(name))
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
