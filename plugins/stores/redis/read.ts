import type { StoreEntry } from 'deflector'
import type { Client } from './client.ts'
import { decodeValue } from './value.ts'

/** Bytes of the largest value that is written or read: what a network carries well within the limit of a command. */
export const LARGEST = 16 << 20

/** What stands under a key. Foreign is whatever we did not write there: another type, another shape, another's copy. */
export type Reading =
  | { readonly is: 'entry'; readonly entry: StoreEntry }
  | { readonly is: 'missing' }
  | { readonly is: 'too_large' }
  | { readonly is: 'foreign'; readonly bytes?: Buffer }

/** Reads no more than `most` bytes: whoever puts half a gigabyte under our prefix must not have us fetch it. */
export async function readKey(
  client: Pick<Client, 'getrangeBuffer'>,
  key: string,
  now: number,
  most = LARGEST,
): Promise<Reading> {
  try {
    const bytes = await client.getrangeBuffer(key, 0, most)
    if (bytes.length === 0) return { is: 'missing' }
    if (bytes.length > most) return { is: 'too_large' }
    const entry = decodeValue(key, bytes, now)
    return entry ? { is: 'entry', entry } : { is: 'foreign', bytes }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return { is: 'foreign' }
    throw error
  }
}
