import { type JsonObject, type Prompt, withoutParts } from 'deflector'
import type { IsOthers } from 'deflector/formats/signature'
import type { VendorFormat } from './vendor-format.ts'

/**
 * A body in the vendor's own format without what the vendor would refuse because another one made it. Most bodies hold
 * nothing of the kind and are given back as they came; of all others every other byte stays as it is.
 */
export function accepted(
  { bytes, body }: Pick<Prompt, 'bytes' | 'body'>,
  { foreign }: VendorFormat,
  isOthers: IsOthers | undefined,
): { readonly bytes: Uint8Array; readonly body: JsonObject } {
  const found = foreign?.(body, isOthers)
  if (!found) return { bytes, body }
  const kept = Buffer.from(withoutParts(bytes, found.parts, found.replaced))
  // Patches are made from what is left.
  return { bytes: kept, body: JSON.parse(kept.toString('utf8')) }
}
