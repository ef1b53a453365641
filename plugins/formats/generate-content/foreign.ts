import { type Foreign, isObject, type JsonObject } from 'deflector'
import { type IsOthers, isWrapped } from '../signature.ts'
import { camel } from './fields.ts'
import { UNSIGNED } from './proof.ts'

/**
 * Proofs that this format's own vendor would refuse: they are empty or another vendor's, and come back from a client that was shown
 * the answer of a fallback. Reasoning goes with its proof, words stay without it, and a call says that it has none.
 */
export function foreign({ contents }: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const isForeign = (part: unknown): part is JsonObject => hasForeignProof(part, isOthers)
  if (!Array.isArray(contents) || !contents.some(content => partsOf(content).some(isForeign))) return undefined
  const kept = contents.flatMap((content: unknown) =>
    isObject(content) && partsOf(content).some(isForeign) ? cleaned(content, isForeign) : [content],
  )
  return { parts: [], members: { contents: JSON.stringify(kept) } }
}

const partsOf = (content: unknown): readonly unknown[] =>
  isObject(content) && Array.isArray(content.parts) ? content.parts : []

function hasForeignProof(part: unknown, isOthers: IsOthers): part is JsonObject {
  if (!isObject(part)) return false
  const proof = part.thoughtSignature ?? part.thought_signature
  return typeof proof === 'string' && (proof === '' || isWrapped(proof) || isOthers(proof))
}

/** A content of nothing else goes whole, as an empty one is refused too. */
function cleaned(content: JsonObject, isForeign: (part: unknown) => part is JsonObject): JsonObject[] {
  const parts = partsOf(content).flatMap(part => (isForeign(part) ? withoutProof(part) : [part]))
  return parts.length === 0 ? [] : [{ ...content, parts }]
}

function withoutProof(part: JsonObject): JsonObject[] {
  const { thoughtSignature: _, thought_signature: __, ...rest } = part
  if ('functionCall' in camel(part)) return [{ ...rest, thoughtSignature: UNSIGNED }]
  return rest.thought === true || rest.text === '' ? [] : [rest]
}
