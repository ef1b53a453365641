import type { Block, ReasoningBlock, ToolCallBlock } from 'deflector'

/**
 * Some vendors sign calls and want the signature back with the call. Where a dialect has no place for one beside its call,
 * hidden reasoning bears it before the call: clients send such reasoning back as it is.
 */
const CALL = 'call:'

type Signed = Pick<ToolCallBlock, 'signature' | 'origin'>
type Hidden = Pick<ReasoningBlock, 'redacted' | 'origin'>

/** The hidden reasoning before a call for its client; nothing before one that nobody signed. */
export function hiddenProof({ signature, origin }: Signed): Hidden | undefined {
  return signature === undefined || origin === undefined ? undefined : { redacted: CALL + signature, origin }
}

/** The blocks of a turn, each call with the signature that came before it. `own`: the dialect that they were sent in. */
export function withCallProofs(own: string, blocks: readonly Block[]): Block[] {
  let proof: Signed | undefined
  return blocks.flatMap((block): Block[] => {
    if (block.type === 'reasoning' && block.origin !== own && block.redacted?.startsWith(CALL)) {
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
