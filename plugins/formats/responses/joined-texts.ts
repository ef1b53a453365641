import type { Block, Citation, TextBlock } from 'deflector'
import { BETWEEN } from './reasoning.ts'

/**
 * Adds blocks to those of a turn or an answer. Texts that follow each other directly are one canonical text, which is how
 * clients of other formats were shown them. Were any joined?
 */
export function addBlocks(to: Block[], more: readonly Block[]): boolean {
  let joined = false
  for (const block of more) {
    const last = to.at(-1)
    if (block.type === 'text' && last?.type === 'text') {
      to[to.length - 1] = together(last, block)
      joined = true
    } else to.push(block)
  }
  return joined
}

/** The same citation in a text with so many characters before it. */
export const movedBy = (before: number, { start, end, ...source }: Citation): Citation => ({
  ...source,
  ...(start !== undefined && { start: start + before }),
  ...(end !== undefined && { end: end + before }),
})

function together(first: TextBlock, second: TextBlock): TextBlock {
  const before = first.text.length + BETWEEN.length
  const citations = [...(first.citations ?? []), ...(second.citations ?? []).map(each => movedBy(before, each))]
  const logprobs = [...(first.logprobs ?? []), ...(second.logprobs ?? [])]
  const cacheMark = second.cacheMark ?? first.cacheMark
  return {
    type: 'text',
    text: first.text + BETWEEN + second.text,
    ...(citations.length > 0 && { citations }),
    ...(logprobs.length > 0 && { logprobs }),
    ...(cacheMark && { cacheMark }),
  }
}
