import type { Block, Steps, ToolCallBlock, ToolResultBlock, Turn } from 'deflector'
import { distinctCalls } from './distinct-calls.ts'
import { withModelMedia } from './model-media.ts'

interface Call {
  readonly block: ToolCallBlock
  result?: ToolResultBlock
}

interface Step {
  readonly role: 'user' | 'assistant'
  /** What a format can say of the turn, without its tool results. */
  readonly blocks: readonly Block[]
  readonly calls: readonly Call[]
  /** The calls whose results stood here. */
  readonly answered: readonly Call[]
}

/** Said in place of a result that the history lost; a call without any is refused. */
const NO_RESULT = 'No result was recorded for this call.'
/** Said where a vendor wants a user to begin. */
export const OPENING = 'Continue.'

/**
 * The turns as vendors of strict formats accept them: user and assistant in turn, a user first, and the results of all
 * calls of a turn at the head of the next one, in the order of the calls, wherever the client had put them. A result
 * without a call goes; a call without a result gets one once the conversation went on. `says`: has this block something
 * that the format can say?
 */
export function* orderedTurns(turns: readonly Turn[], says: (block: Block) => boolean): Steps<Turn[]> {
  const ordered: Turn[] = []
  let owed: Call[] = []
  const add = (role: Step['role'], blocks: readonly Block[]): void => {
    const last = ordered.at(-1)
    if (last?.role === role) ordered[ordered.length - 1] = { role, blocks: [...last.blocks, ...blocks] }
    else ordered.push({ role, blocks })
  }
  for (const { role, blocks, calls, answered } of yield* paired(
    yield* distinctCalls(yield* withModelMedia(turns)),
    says,
  )) {
    yield
    if (role === 'assistant') {
      if (blocks.length > 0) add(role, blocks)
      owed.push(...calls)
    } else if (blocks.length > 0 || answered.some(call => owed.includes(call))) {
      add(role, [...owed.map(resultOf), ...blocks])
      owed = []
    }
  }
  if (owed.some(({ result }) => result)) add('user', owed.map(resultOf))
  if (ordered[0]?.role !== 'user') ordered.unshift({ role: 'user', blocks: [{ type: 'text', text: OPENING }] })
  return ordered
}

function resultOf({ block, result }: Call): ToolResultBlock {
  if (result) return result
  return { type: 'tool_result', id: block.id, blocks: [{ type: 'text', text: NO_RESULT }], isError: true }
}

/** Takes the results out of the turns and gives each to its call, which has none yet. */
function* paired(turns: readonly Turn[], says: (block: Block) => boolean): Steps<Step[]> {
  const steps: Step[] = []
  const open = new Map<string, Call>()
  for (const { role, blocks: all } of turns) {
    yield
    const calls: Call[] = []
    const answered: Call[] = []
    const blocks: Block[] = []
    for (const block of all) {
      if (block.type === 'tool_call') {
        const call: Call = { block }
        open.set(block.id, call)
        calls.push(call)
        blocks.push(block)
      } else if (block.type === 'tool_result') {
        const call = open.get(block.id)
        if (!call || call.result) continue
        call.result = block
        answered.push(call)
      } else if (says(block)) blocks.push(role === 'system' ? instruction(block) : block)
    }
    steps.push({ role: role === 'assistant' ? role : 'user', blocks, calls, answered })
  }
  return steps
}

/** An instruction in mid-conversation keeps its place as marked text, where a format has no word for it. */
function instruction(block: Block): Block {
  if (block.type !== 'text') return block
  return { ...block, text: `<system-instruction>\n${block.text}\n</system-instruction>` }
}
