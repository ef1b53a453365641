import { isObject, type JsonObject, type ToolCallBlock } from 'deflector'
import { type IsOthers, isWrapped, shownTo, unwrap } from '../signature.ts'

type Signed = Pick<ToolCallBlock, 'signature' | 'origin'>

/** The member of a call that bears its vendor's signature, as Google's own endpoint of this format has it. */
export const encodeProof = ({ signature, origin }: Signed): JsonObject =>
  signature === undefined
    ? {}
    : { extra_content: { google: { thought_signature: shownTo('chat-completions', signature, origin) } } }

/** What a client sent back with a call. One that is not wrapped came from Google. */
export function decodeProof(call: unknown): Signed {
  const text = signatureIn(call)
  return text === undefined ? {} : (unwrap(text) ?? { origin: 'generate-content', signature: text })
}

/** Is it a signature that another vendor made? */
export function isForeignProof(call: unknown, isOthers: IsOthers): boolean {
  const proof = signatureIn(call)
  return proof !== undefined && (isWrapped(proof) || isOthers(proof))
}

function signatureIn(call: unknown): string | undefined {
  const extra = isObject(call) ? call.extra_content : undefined
  const google = isObject(extra) ? extra.google : undefined
  const text = isObject(google) ? google.thought_signature : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}
