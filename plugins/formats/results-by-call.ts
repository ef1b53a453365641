import type { ToolCallBlock, ToolResultBlock, Turn } from 'deflector'

/** Stands in for a result that the client lost; vendors refuse a call that the history leaves unanswered. */
export const NO_RESULT = 'no result recorded'

/** Which result answers which call, in turns in which no two calls share an id: the first one behind the call. */
export function resultsByCall(turns: readonly Turn[]): ReadonlyMap<ToolCallBlock, ToolResultBlock> {
  const found = new Map<ToolCallBlock, ToolResultBlock>()
  const open = new Map<string, ToolCallBlock>()
  for (const { role, blocks } of turns) {
    for (const block of blocks) {
      if (block.type === 'tool_call' && role === 'assistant') open.set(block.id, block)
      if (block.type !== 'tool_result') continue
      const call = open.get(block.id)
      if (call) found.set(call, block)
      open.delete(block.id)
    }
  }
  return found
}
