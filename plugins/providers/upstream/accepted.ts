import { type JsonObject, nextTurn, type Prompt, parseLargeJson, withoutParts } from 'deflector'
import type { IsOthers } from 'deflector/formats/signature'
import { LARGE_BODY } from './patches.ts'
import type { VendorFormat } from './vendor-format.ts'

type Accepted = Pick<Prompt, 'bytes' | 'body'>

/**
 * A body in the vendor's own format without what the vendor would refuse because another one made it. Most bodies hold
 * nothing of the kind and are given back as they came; of all others every other byte stays as it is.
 */
export function accepted(
  { bytes, body }: Accepted,
  { foreign }: VendorFormat,
  isOthers: IsOthers | undefined,
): Accepted | Promise<Accepted> {
  const found = foreign?.(body, isOthers)
  if (!found) return { bytes, body }
  const kept = withoutParts(bytes, found.parts, found.replaced)
  // Patches are made from what is left.
  return kept.length > LARGE_BODY ? readInTurns(kept) : { bytes: kept, body: read(kept) }
}

async function readInTurns(bytes: Uint8Array): Promise<Accepted> {
  await nextTurn()
  return { bytes, body: (await parseLargeJson(bytes, { repeats: 'last' })) as JsonObject }
}

const read = (bytes: Uint8Array): JsonObject =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
