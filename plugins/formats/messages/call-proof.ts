import type { JsonObject, ToolCallBlock } from 'deflector'
import { hiddenProof } from '../call-proof.ts'
import { shownTo } from '../signature.ts'

/** What stands before a call for its client: `tool_use` has no place for a signature. Nothing before one that nobody signed. */
export function proofOfCall(call: Pick<ToolCallBlock, 'signature' | 'origin'>): JsonObject | undefined {
  const { redacted, origin } = hiddenProof(call) ?? {}
  return redacted === undefined ? undefined : { type: 'redacted_thinking', data: shownTo('messages', redacted, origin) }
}
