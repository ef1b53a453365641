import { readFile, stat } from 'node:fs/promises'
import { type Embedder, parseLargeJson } from 'deflector'
import { MadeOfFiles } from 'deflector/files'
import { checkedArtifact } from './artifact.ts'
import { Heads } from './heads.ts'

/** Bytes; those of the package have up to 180,000. Another file by mistake would take the memory of the gateway. */
const LARGEST = 32 << 20

/** A classifier that was read from a file. */
interface OpenedHeads {
  readonly heads: Heads
  /** Fingerprint of the embedder that it was trained with. */
  readonly embedder: string
}

const opened = new MadeOfFiles<OpenedHeads>()

/**
 * The heads in an artifact's file, for a gateway that serves meanwhile: the text is read in turns, and a file that has not
 * changed is not read again. Throws an `Error` that names the fault.
 */
export async function openHeads(file: string): Promise<OpenedHeads> {
  const state = await stat(file)
  const known = opened.get(file, state)
  if (known) return known
  if (state.size > LARGEST) throw new Error(`it is larger than ${LARGEST >> 20} MiB`)
  const artifact = checkedArtifact(await jsonIn(await readFile(file)))
  return opened.set(file, state, { heads: new Heads(artifact), embedder: artifact.embedder })
}

/** What an artifact calls an embedder: one without a fingerprint differs from others at least by its dimensions. */
export const fingerprintOf = ({ fingerprint, dimensions }: Pick<Embedder, 'fingerprint' | 'dimensions'>): string =>
  fingerprint ?? `unnamed-${dimensions}`

const jsonIn = (bytes: Uint8Array): Promise<unknown> =>
  parseLargeJson(bytes, { repeats: 'last' }).catch(() => {
    throw new Error('it is not JSON')
  })
