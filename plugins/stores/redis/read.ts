import type { StoreEntry } from 'deflector'
import type { Client } from './client.ts'
import { decodeValue } from './value.ts'

/** Bytes of the largest value that is written or read: a network carries it within the limit of a command. */
export const MAX_BYTES = 16 << 20

/** The value of a key. `foreign` is a value that no gateway wrote there: another type, another shape, a copied value. */
export type ReadResult =
  | { readonly is: 'entry'; readonly entry: StoreEntry }
  | { readonly is: 'missing' }
  | { readonly is: 'too_large' }
  | { readonly is: 'foreign'; readonly bytes?: Buffer }

/** Reads a value up to `maxBytes`: a huge foreign value under our prefix must not be fetched. */
export async function readKey(
  client: Pick<Client, 'getrangeBuffer'>,
  key: string,
  now: number,
  maxBytes = MAX_BYTES,
): Promise<ReadResult> {
  try {
    const bytes = await client.getrangeBuffer(key, 0, maxBytes)
    if (bytes.length === 0) return { is: 'missing' }
    if (bytes.length > maxBytes) return { is: 'too_large' }
    const entry = decodeValue(key, bytes, now)
    return entry ? { is: 'entry', entry } : { is: 'foreign', bytes }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return { is: 'foreign' }
    throw error
  }
}
