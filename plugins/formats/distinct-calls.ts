import type { Block, Steps, Turn } from 'deflector'

/**
 * The turns with an id of its own for every call. Some clients and hosts count their calls from 0 in every turn, and
 * vendors take an id only once. A result follows its call: the next one of its id that has none, in the last turn that
 * calls by this id.
 */
export function* distinctCalls(turns: readonly Turn[]): Steps<Turn[]> {
  const distinct: Turn[] = []
  const taken = new Set<string>()
  /** The ids that calls got in the last turn that has this one, without those whose results came. */
  const open = new Map<string, string[]>()
  for (const turn of turns) {
    yield
    const called = new Set<string>()
    const renamed = (block: Block): Block => {
      if (block.type === 'tool_call') {
        const id = unique(block.id, taken)
        if (called.has(block.id)) open.get(block.id)?.push(id)
        else open.set(block.id, [id])
        called.add(block.id)
        return id === block.id ? block : { ...block, id }
      }
      if (block.type !== 'tool_result') return block
      const waiting = open.get(block.id) ?? []
      const [id = block.id] = waiting
      // Whatever comes again belongs to the last of them.
      if (waiting.length > 1) waiting.shift()
      return id === block.id ? block : { ...block, id }
    }
    const blocks = turn.blocks.map(renamed)
    distinct.push(blocks.every((block, at) => block === turn.blocks[at]) ? turn : { ...turn, blocks })
  }
  return distinct
}

function unique(id: string, taken: Set<string>): string {
  let name = id
  for (let again = 2; taken.has(name); again++) name = `${id}_${again}`
  taken.add(name)
  return name
}
