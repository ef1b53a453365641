import { type AnswerEvent, type Prompt, promptOf } from 'deflector'

/** Events that say nothing, or nothing that a vendor would have to go on with. */
const SILENT: ReadonlySet<AnswerEvent['type']> = new Set(['start', 'usage', 'unmodelled'])

/**
 * The prompt with the beginning of its answer as the last turn, for vendors that go on with it. `undefined` where more
 * than plain text was sent, or where the dialect has no such turn.
 */
export function withBeginning({ format, body }: Prompt, sent: readonly AnswerEvent[]): Prompt | undefined {
  let text = ''
  for (const event of sent) {
    if (event.type === 'text') text += event.text
    else if (!SILENT.has(event.type)) return undefined
  }
  const begun = text === '' ? undefined : format.withBeginning?.(body, text)
  return begun && promptOf(format, Buffer.from(JSON.stringify(begun)), begun)
}
