import { type Frame, isObject, type JsonObject, type Prompt, type StreamEncoder } from 'deflector'
import { dataIn } from '../sse.ts'
import { MessagesStreamEncoder, type OpenedBlock } from './stream-encoder.ts'

/**
 * Writes the rest of a stream of words that another vendor began. Which block is open stands only on the wire. `undefined`
 * where nothing has begun, or where the open block is none of words.
 */
export function resumedEncoder(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined {
  let started = false
  let index = 0
  let open: JsonObject | undefined
  for (const { wire } of sent)
    for (const data of dataIn(wire)) {
      const event: unknown = JSON.parse(data)
      if (!isObject(event)) continue
      const { type, content_block: block } = event
      if (type === 'message_start') started = true
      if (type === 'content_block_start' && isObject(block)) open = block
      if (type === 'content_block_stop') {
        open = undefined
        index++
      }
    }
  const kind = open && KINDS[String(open.type)]
  if (!started || (open && !kind)) return undefined
  const encoder = new MessagesStreamEncoder(prompt, { id: '', created: 0, layer: '' })
  encoder.resume(
    index,
    open && kind && { kind, block: open },
    sent.flatMap(({ events }) => events),
  )
  return encoder
}

const KINDS: Readonly<Record<string, OpenedBlock['kind']>> = { text: 'text', thinking: 'reasoning' }
