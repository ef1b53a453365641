import { type Foreign, isObject, type JsonObject, type JsonPath } from 'deflector'
import { type IsOthers, isWrapped } from '../signature.ts'
import { UNSIGNED } from './proof.ts'

/** A proof in both spellings that clients send. */
const PROOFS = ['thoughtSignature', 'thought_signature'] as const
const CALLS = ['functionCall', 'function_call'] as const

/**
 * Proofs that this format's own vendor would refuse: they are empty or another vendor's, and come back from a client that
 * was shown the answer of a fallback. Reasoning goes with its proof, words stay without it, and a call says that it has
 * none. A content of nothing else goes whole, as an empty one is refused too.
 */
export function foreign({ contents }: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const cut: JsonPath[] = []
  const replaced: { path: JsonPath; text: string }[] = []
  const isGone = (part: unknown): boolean => hasForeignProof(part, isOthers) && !staysWithout(part)
  for (const [at, content] of (Array.isArray(contents) ? contents : []).entries()) {
    const parts: unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : []
    if (parts.length > 0 && parts.every(isGone)) {
      cut.push(['contents', at])
      continue
    }
    for (const [place, part] of parts.entries()) {
      if (!hasForeignProof(part, isOthers)) continue
      const path = ['contents', at, 'parts', place]
      const [proof = path, ...others] = PROOFS.filter(name => name in part).map(name => [...path, name])
      if (isGone(part)) cut.push(path)
      else if (isCall(part)) {
        replaced.push({ path: proof, text: JSON.stringify(UNSIGNED) })
        cut.push(...others)
      } else cut.push(proof, ...others)
    }
  }
  return cut.length === 0 && replaced.length === 0 ? undefined : { parts: cut, replaced }
}

function hasForeignProof(part: unknown, isOthers: IsOthers): part is JsonObject {
  if (!isObject(part)) return false
  const proof = part.thoughtSignature ?? part.thought_signature
  return typeof proof === 'string' && (proof === '' || isWrapped(proof) || isOthers(proof))
}

const isCall = (part: JsonObject): boolean => CALLS.some(name => name in part)

/** Does the part say something without its proof? */
const staysWithout = (part: JsonObject): boolean => isCall(part) || (part.thought !== true && part.text !== '')
