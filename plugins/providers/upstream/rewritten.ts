import { type Answer, type AnswerBlock, type AnswerEvent, type Frame, liveAnswer, wholeAnswer } from 'deflector'

/** What becomes of the parts of an answer. */
export interface Rewriting {
  /** A block of a whole one. */
  block(block: AnswerBlock): AnswerBlock
  /** An event of a live one: none, one or several. Called once for each, in the order of the stream. */
  events(event: AnswerEvent): readonly AnswerEvent[]
}

/** The answer with other blocks or events. The vendor's own bytes stay as they came. */
export function rewritten(answer: Answer, { block, events }: Rewriting): Answer {
  switch (answer.kind) {
    case 'whole': {
      const { completion, wire, facts } = answer
      return wholeAnswer({ ...facts, wire, completion: { ...completion, blocks: completion.blocks.map(block) } })
    }
    case 'live': {
      const { headers } = answer.facts
      const source = rewrittenFrames(answer.frames(), events)
      return liveAnswer({ format: answer.format, source, ...(headers && { headers }) })
    }
    case 'bytes':
      return answer
  }
}

async function* rewrittenFrames(frames: AsyncIterable<Frame>, said: Rewriting['events']): AsyncGenerator<Frame> {
  for await (const { events, wire } of frames) yield { events: events.flatMap(said), wire }
}
