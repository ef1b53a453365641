import type { AnswerBlock, Completion, StopReason } from 'deflector'

const FINISHED: ReadonlySet<StopReason> = new Set(['stop', 'stop_sequence', 'tool_use'])

/**
 * May this answer be given to the next client of this format who asks? Only when the model finished, said or called
 * something, and neither refused nor was cut short, in every choice there is: a stored failure would be repeated until it
 * expires. What the vendor did meanwhile is not done again by telling of it.
 */
export function storable({ others = [], ...first }: Completion, format: string): boolean {
  return [first, ...others].every(choice => isFinished(choice, format))
}

function isFinished({ blocks, stop }: Pick<Completion, 'blocks' | 'stop'>, format: string): boolean {
  if (!FINISHED.has(stop.reason)) return false
  if (blocks.some(block => block.type === 'refusal' || isBrokenCall(block) || isDeed(block))) return false
  // What another format kept is not written for this client.
  const acts = (block: AnswerBlock): boolean =>
    block.type === 'tool_call' || (block.type === 'opaque' && block.format === format)
  const says = (block: AnswerBlock): boolean => acts(block) || (block.type === 'text' && block.text.trim() !== '')
  return blocks.some(stop.reason === 'tool_use' ? acts : says)
}

const isDeed = (block: AnswerBlock): boolean => block.type === 'opaque' && block.deed === true

/** Arguments are JSON, unless the tool takes any text; none at all mean `{}`. */
function isBrokenCall(block: AnswerBlock): boolean {
  if (block.type !== 'tool_call' || block.args === '' || block.kind === 'custom') return false
  try {
    JSON.parse(block.args)
    return false
  } catch {
    return true
  }
}
