import {
  type Answer,
  type AnswerBlock,
  type AnswerEvent,
  type Completion,
  type Frame,
  liveAnswer,
  type Prompt,
  wholeAnswer,
} from 'deflector'
import { freeformInput } from 'deflector/formats/freeform'
import { FreeformText } from 'deflector/formats/freeform-text'

/**
 * An answer with its calls as the client declared their tools. A vendor that knows only functions was shown its
 * free-form tools as such, and calls them with their text as an argument.
 */
export function asDeclared(answer: Answer, prompt: Prompt): Answer {
  const names = new Set(prompt.chat.tools.flatMap(({ name, kind }) => (kind === 'custom' ? [name] : [])))
  if (names.size === 0) return answer
  switch (answer.kind) {
    case 'whole':
      return wholeAnswer({ ...answer.facts, wire: answer.wire, completion: completionWith(answer.completion, names) })
    case 'live': {
      const { headers } = answer.facts
      const source = framesWith(answer.frames(), names)
      return liveAnswer({ format: answer.format, source, ...(headers && { headers }) })
    }
    case 'bytes':
      return answer
  }
}

const completionWith = (completion: Completion, names: ReadonlySet<string>): Completion => ({
  ...completion,
  blocks: completion.blocks.map((block): AnswerBlock => {
    if (block.type !== 'tool_call' || block.kind === 'custom' || !names.has(block.name)) return block
    return { ...block, kind: 'custom', args: freeformInput(block.args) }
  }),
})

async function* framesWith(frames: AsyncIterable<Frame>, names: ReadonlySet<string>): AsyncGenerator<Frame> {
  const calls = new DeclaredCalls(names)
  for await (const { events, wire } of frames) yield { events: events.flatMap(event => calls.take(event)), wire }
}

/** Turns the calls of one stream back, piece by piece. */
class DeclaredCalls {
  readonly #texts = new Map<number, FreeformText>()

  constructor(private readonly names: ReadonlySet<string>) {}

  take(event: AnswerEvent): AnswerEvent[] {
    switch (event.type) {
      case 'tool_call':
        if (event.kind === 'custom' || !this.names.has(event.name)) return [event]
        this.#texts.set(event.index, new FreeformText())
        return [{ ...event, kind: 'custom' }]
      case 'tool_args': {
        const freeform = this.#texts.get(event.index)
        return freeform ? pieceOf(event.index, freeform.push(event.text)) : [event]
      }
      case 'stop': {
        const rest = [...this.#texts].flatMap(([index, freeform]) => pieceOf(index, freeform.end()))
        this.#texts.clear()
        return [...rest, event]
      }
      default:
        return [event]
    }
  }
}

const pieceOf = (index: number, text: string): AnswerEvent[] =>
  text === '' ? [] : [{ type: 'tool_args', index, text }]
