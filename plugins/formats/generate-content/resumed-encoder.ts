import type { Frame, Prompt, StreamEncoder } from 'deflector'
import { ContentStreamEncoder } from './stream-encoder.ts'

/** Writes the rest of a stream that another vendor began: every frame is a response of its own, so only the id is known. */
export function resumedEncoder(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined {
  for (const { events } of sent)
    for (const event of events) {
      if (event.type !== 'start') continue
      const encoder = new ContentStreamEncoder(prompt, { id: event.id, created: event.created, layer: '' })
      encoder.push(event)
      return encoder
    }
  return undefined
}
