import type { Block, Steps, Turn } from 'deflector'

/** Blocks after which others have their turn. */
const STEP = 256

/** The calls of one id that belong together, and their results so far. */
interface Waiting {
  readonly ids: string[]
  /** Whose result comes next. */
  next: number
  /** Words of the user before them. */
  readonly asked: number
}

/**
 * The turns with an id of its own for every call. Some clients and hosts count their calls from 0 in every turn, and
 * vendors take an id only once. A result follows its call: the next one of its id that has none. Behind a result of this
 * id, or the user's next words, calls begin anew: a result that never came is not that of a later call.
 */
export function* distinctCalls(turns: readonly Turn[]): Steps<Turn[]> {
  const distinct: Turn[] = []
  const fresh = freshIds()
  const open = new Map<string, Waiting>()
  let asked = 0
  const renamed = (block: Block): Block => {
    if (block.type === 'tool_call') {
      const id = fresh(block.id)
      const waiting = open.get(block.id)
      if (waiting?.next === 0 && waiting.asked === asked) waiting.ids.push(id)
      else open.set(block.id, { ids: [id], next: 0, asked })
      return id === block.id ? block : { ...block, id }
    }
    if (block.type !== 'tool_result') return block
    const waiting = open.get(block.id)
    if (!waiting) return block
    // Whatever comes again belongs to the last of them.
    const id = waiting.ids[Math.min(waiting.next, waiting.ids.length - 1)] ?? block.id
    waiting.next++
    return id === block.id ? block : { ...block, id }
  }
  let done = 0
  for (const turn of turns) {
    yield
    if (turn.role === 'user' && !turn.blocks.some(({ type }) => type === 'tool_result')) asked++
    const blocks: Block[] = []
    for (const block of turn.blocks) {
      if (++done % STEP === 0) yield
      blocks.push(renamed(block))
    }
    distinct.push(blocks.every((block, at) => block === turn.blocks[at]) ? turn : { ...turn, blocks })
  }
  return distinct
}

/** The id itself the first time, then the same with a number that nobody has. */
function freshIds(): (id: string) => string {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return id => {
    let name = id
    let number = numbers.get(id) ?? 1
    while (taken.has(name)) name = `${id}_${++number}`
    numbers.set(id, number)
    taken.add(name)
    return name
  }
}
