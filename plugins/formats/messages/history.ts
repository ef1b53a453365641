import type { Block, Steps, Turn } from 'deflector'
import { orderedTurns } from '../ordered-turns.ts'
import { isOwn } from '../signature.ts'

/** The turns as this vendor accepts them. */
export const orderTurns = (turns: readonly Turn[]): Steps<Turn[]> => orderedTurns(turns, says)

/** Has this block something that this format can say? Reasoning without the vendor's own proof and foreign blocks have not. */
function says(block: Block): boolean {
  if (block.type === 'text' || block.type === 'refusal') return block.text.trim() !== ''
  if (block.type === 'reasoning') return isOwn('messages', block.redacted ?? block.signature, block.origin)
  return block.type !== 'opaque' || block.format === 'messages'
}
