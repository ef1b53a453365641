import { type Block, type CacheMark, type Chat, isObject, type JsonObject } from 'deflector'
import { isShown } from './content.ts'

const BREAKPOINT = 'prompt_cache_breakpoint'
const CONTROL = 'cache_control'

/**
 * The blocks of a part in one of OpenAI's formats, the last one with the part's mark. Some clients use the word of the
 * messages format.
 */
export function marked(blocks: readonly Block[], part: unknown): readonly Block[] {
  const cacheMark = isObject(part) ? markOf(part) : undefined
  const last = blocks.at(-1)
  return cacheMark && last && isShown(last) ? [...blocks.slice(0, -1), { ...last, cacheMark }] : blocks
}

function markOf({ [BREAKPOINT]: breakpoint, [CONTROL]: control }: JsonObject): CacheMark | undefined {
  if (!isObject(breakpoint) && !isObject(control)) return undefined
  const ttl = isObject(control) ? control.ttl : undefined
  return { ...(isObject(breakpoint) && { breakpoint: true }), ...(typeof ttl === 'string' && { ttl }) }
}

/** The marks of some texts of the system, if there is one. */
export const systemMarks = (marks: readonly (CacheMark | undefined)[]): Pick<Chat, 'systemMarks'> =>
  marks.some(mark => mark !== undefined) ? { systemMarks: marks } : {}

/** The parts of one block for a vendor that has breakpoints. Older models refuse them, so no other mark becomes one. */
export const withBreakpoint = (parts: readonly JsonObject[], mark: CacheMark | undefined): JsonObject[] =>
  parts.map((part, at) =>
    mark?.breakpoint && at === parts.length - 1 ? { ...part, [BREAKPOINT]: { mode: 'explicit' } } : part,
  )

/** The mark as a member of a block, for a vendor of the messages format. */
export const controlOf = (mark: CacheMark | undefined): JsonObject =>
  mark ? { [CONTROL]: { type: 'ephemeral', ...(mark.ttl !== undefined && { ttl: mark.ttl }) } } : {}

export const isBreakpoint = (mark: CacheMark): boolean => mark.breakpoint === true

/** All marks of a conversation. */
export const marksIn = ({ systemMarks: marks = [], turns }: Pick<Chat, 'systemMarks' | 'turns'>): CacheMark[] => [
  ...marks.filter(mark => mark !== undefined),
  ...turns.flatMap(({ blocks }) => blocks.flatMap(marksOf)),
]

function marksOf(block: Block): readonly CacheMark[] {
  if (block.type === 'tool_result') return block.blocks.flatMap(marksOf)
  return isShown(block) && block.cacheMark ? [block.cacheMark] : []
}
