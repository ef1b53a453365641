import type { JsonObject, ReasoningBlock } from 'deflector'
import { isOwn, sentBack, shownTo } from '../signature.ts'

/** What proves a piece of reasoning or a call; nothing in it where there is no proof. */
export type Proof = Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>

/** The dialect by which our signatures are told from others'. */
export const OWN = 'generate-content'

/** The vendor takes this in place of a signature, for calls that another model made. */
export const UNSIGNED = 'skip_thought_signature_validator'

/** No signature begins so; behind it stands reasoning that only another vendor can read. */
const REDACTED = 'redacted:'

/** Reads `thoughtSignature` of a part. */
export function readProof(thoughtSignature: unknown): Proof {
  if (typeof thoughtSignature !== 'string' || thoughtSignature === '' || thoughtSignature === UNSIGNED) return {}
  const { origin, signature } = sentBack(OWN, thoughtSignature)
  if (!signature.startsWith(REDACTED)) return { origin, signature }
  return { origin, redacted: signature.slice(REDACTED.length) }
}

/** The same for a client, who brings it back; another vendor's is wrapped. */
export function showProof({ signature, redacted, origin }: Proof): JsonObject {
  const text = redacted === undefined ? signature : REDACTED + redacted
  return text === undefined || text === '' ? {} : { thoughtSignature: shownTo(OWN, text, origin) }
}

/** For the vendor, who takes no other's. */
export const ownProof = ({ signature, origin }: Proof): JsonObject =>
  isOwn(OWN, signature, origin) ? { thoughtSignature: signature } : {}
