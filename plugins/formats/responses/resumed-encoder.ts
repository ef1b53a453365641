import { type Frame, isObject, type Prompt, type StreamEncoder } from 'deflector'
import { parseExact } from '../exact-json.ts'
import { dataIn } from '../sse.ts'
import { BegunStreamReader } from './begun-stream.ts'
import { ResponsesStreamEncoder } from './stream-encoder.ts'

/**
 * Writes the rest of a stream that another vendor began. What is done, what is open and what the events are numbered
 * stands only on the wire. `undefined` where the open item is one that no other vendor writes.
 */
export function resumedEncoder(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined {
  const stream = new BegunStreamReader()
  for (const { wire } of sent)
    for (const data of dataIn(wire)) {
      const event: unknown = parseExact(data)
      if (isObject(event)) stream.read(event)
    }
  const { begun } = stream
  if (!begun) return undefined
  const { id, created_at: created } = begun.head
  const encoder = new ResponsesStreamEncoder(prompt, {
    // Items to come have ids of their own, even if the vendor makes them as we do.
    id: `${String(id).replace(/^resp_/, '')}_${begun.number}`,
    created: typeof created === 'number' ? created : 0,
    layer: '',
  })
  encoder.resume(begun)
  return encoder
}
