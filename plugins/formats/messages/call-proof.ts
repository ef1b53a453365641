import type { Block, JsonObject, ToolCallBlock } from 'deflector'
import { wrap } from '../signature.ts'

/**
 * Some vendors sign calls and want the signature back with the call. `tool_use` has no place for one, so a block of hidden
 * reasoning bears it before the call: clients of this format send such a block back as it is.
 */
const CALL = 'call:'

type Signed = Pick<ToolCallBlock, 'signature' | 'origin'>

/** What stands before a call for its client; nothing before one that nobody signed. */
export function proofOfCall({ signature, origin }: Signed): JsonObject | undefined {
  if (signature === undefined || origin === undefined) return undefined
  return { type: 'redacted_thinking', data: wrap(origin, CALL + signature) }
}

/** The blocks of a turn, each call with the signature that came before it. */
export function withCallProofs(blocks: readonly Block[]): Block[] {
  let proof: Signed | undefined
  return blocks.flatMap((block): Block[] => {
    if (block.type === 'reasoning' && block.origin !== 'messages' && block.redacted?.startsWith(CALL)) {
      const { origin, redacted } = block
      proof = { signature: redacted.slice(CALL.length), ...(origin !== undefined && { origin }) }
      return []
    }
    if (block.type !== 'tool_call' || !proof) return [block]
    const signed = { ...block, ...proof }
    proof = undefined
    return [signed]
  })
}
