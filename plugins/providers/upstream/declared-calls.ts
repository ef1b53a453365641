import type { Answer, AnswerBlock, AnswerEvent, Prompt } from 'deflector'
import { freeformInput } from 'deflector/formats/freeform'
import { FreeformText } from 'deflector/formats/freeform-text'
import { rewritten } from './rewritten.ts'

/**
 * An answer with its calls as the client declared their tools. A vendor that knows only functions was shown its
 * free-form tools as such, and calls them with their text as an argument.
 */
export function asDeclared(answer: Answer, prompt: Prompt): Answer {
  const names = new Set(prompt.chat.tools.flatMap(({ name, kind }) => (kind === 'custom' ? [name] : [])))
  if (names.size === 0) return answer
  const calls = new DeclaredCalls(names)
  return rewritten(answer, { block: block => declared(block, names), events: event => calls.take(event) })
}

function declared(block: AnswerBlock, names: ReadonlySet<string>): AnswerBlock {
  if (block.type !== 'tool_call' || block.kind === 'custom' || !names.has(block.name)) return block
  return { ...block, kind: 'custom', args: freeformInput(block.args) }
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
