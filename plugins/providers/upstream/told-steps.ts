import type { Block, Chat } from 'deflector'

/**
 * The conversation for a vendor of another format, with what came of the steps that the client's vendor ran itself. Each
 * step is noted, as the vendor is not sent it.
 */
export function withToldSteps(chat: Chat, note: (field: string) => void): Chat {
  if (!chat.turns.some(({ blocks }) => blocks.some(isStep))) return chat
  const turns = chat.turns.map(turn => (turn.blocks.some(isStep) ? { ...turn, blocks: told(turn.blocks, note) } : turn))
  return { ...chat, turns }
}

const isStep = (block: Block): boolean => block.type === 'opaque' && block.step !== undefined

/** Vendors read texts that follow each other as one. A step parts what was said before it from what was said behind it. */
const BETWEEN = '\n\n'

function told(blocks: readonly Block[], note: (field: string) => void): Block[] {
  const out: Block[] = []
  let isParted = false
  const add = (block: Block): void => {
    const last = out.at(-1)
    if (isParted && last?.type === 'text' && block.type === 'text')
      out[out.length - 1] = { ...last, text: last.text + BETWEEN }
    out.push(block)
    isParted = false
  }
  for (const block of blocks) {
    const step = block.type === 'opaque' ? block.step : undefined
    if (!step) {
      add(block)
      continue
    }
    note(step.field)
    isParted = true
    for (const one of step.told) {
      add(one)
      isParted = true
    }
  }
  return out
}
