import type { AnswerBlock, Completion, StopReason } from 'deflector'

const FINISHED: ReadonlySet<StopReason> = new Set(['stop', 'stop_sequence', 'tool_use'])

/**
 * May this answer be given to the next one who asks? Only when the model finished, said or called something, and
 * neither refused nor was cut short, in every choice there is: a stored failure would be repeated until it expires.
 */
export function storable({ others = [], ...first }: Completion): boolean {
  return [first, ...others].every(isFinished)
}

function isFinished({ blocks, stop }: Pick<Completion, 'blocks' | 'stop'>): boolean {
  if (!FINISHED.has(stop.reason)) return false
  if (blocks.some(block => block.type === 'refusal' || isBrokenCall(block))) return false
  return blocks.some(stop.reason === 'tool_use' ? acts : says)
}

const acts = ({ type }: AnswerBlock): boolean => type === 'tool_call' || type === 'opaque'

const says = (block: AnswerBlock): boolean => acts(block) || (block.type === 'text' && block.text.trim() !== '')

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
