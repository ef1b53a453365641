import { type Foreign, isObject, type JsonObject, type JsonPath } from 'deflector'
import { type IsOthers, isWrapped } from '../signature.ts'
import { isOwnReasoning, refersToOwn } from './item-ids.ts'

/**
 * Reasoning that this format's own vendor would refuse: its proof is another vendor's, or it has none and no vendor
 * keeps it. It comes back from a client that was shown the answer of a fallback.
 */
export function foreign({ input }: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const items: unknown[] = Array.isArray(input) ? input : []
  const parts: JsonPath[] = []
  for (const [at, item] of items.entries()) {
    if (!isObject(item)) continue
    if (refersToOwn(item)) parts.push(['input', at])
    if (item.type !== 'reasoning') continue
    const { encrypted_content: proof, id } = item
    const isProven = typeof proof === 'string' && proof !== ''
    if (isProven ? isWrapped(proof) || isOthers(proof) : isOwnReasoning(id)) parts.push(['input', at])
  }
  return parts.length === 0 ? undefined : { parts }
}
