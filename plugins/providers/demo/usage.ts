import type { AnswerBlock, Chat, Usage } from 'deflector'

/** Four characters to a token is near enough for a demo. */
const tokens = (characters: number): number => Math.max(1, Math.ceil(characters / 4))

export function estimatedUsage(chat: Chat, answer: readonly AnswerBlock[]): Usage {
  let input = chat.system.join('').length + (chat.tools.length > 0 ? JSON.stringify(chat.tools).length : 0)
  for (const { blocks } of chat.turns) {
    for (const block of blocks) {
      if (block.type === 'text' || block.type === 'reasoning') input += block.text.length
      else if (block.type === 'tool_call') input += block.args.length
      else if (block.type === 'tool_result')
        for (const part of block.blocks) input += part.type === 'text' ? part.text.length : 0
    }
  }
  let output = 0
  for (const block of answer)
    output += block.type === 'text' ? block.text.length : block.type === 'tool_call' ? block.args.length : 0
  return { input: tokens(input), output: tokens(output) }
}
