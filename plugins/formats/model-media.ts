import type { Block, MediaBlock, Steps, Turn } from 'deflector'
import { isMedia } from './content.ts'

/** Said where the model showed something and said nothing. */
const ONLY_MEDIA = '(this is attached to the next message)'

/**
 * The turns with what the model showed in the user's next message. Few vendors take media of the model, and those that
 * do want their own proof beside it.
 */
export function* withModelMedia(turns: readonly Turn[]): Steps<readonly Turn[]> {
  const moved: Turn[] = []
  let carried: MediaBlock[] = []
  for (const turn of turns) {
    yield
    const { role, blocks } = turn
    const media = role === 'assistant' ? blocks.filter(isMedia) : []
    if (media.length > 0) {
      carried.push(...media)
      const said = blocks.filter(block => !isMedia(block))
      moved.push({ role, blocks: said.some(isSaid) ? said : [...said, { type: 'text', text: ONLY_MEDIA }] })
    } else if (role === 'user' && carried.length > 0) {
      moved.push({ role, blocks: [...carried, ...blocks] })
      carried = []
    } else moved.push(turn)
  }
  if (carried.length > 0) moved.push({ role: 'user', blocks: carried })
  return moved
}

const isSaid = (block: Block): boolean =>
  block.type === 'tool_call' || ((block.type === 'text' || block.type === 'refusal') && block.text.trim() !== '')
