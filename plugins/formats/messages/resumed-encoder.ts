import { type Frame, isObject, type JsonObject, type Prompt, type StreamEncoder } from 'deflector'
import { dataIn } from '../sse.ts'
import { MessagesStreamEncoder, type OpenedBlock } from './stream-encoder.ts'

/**
 * Writes the rest of a stream that another vendor began. Which block is open stands only on the wire. `undefined` where
 * that block cannot be gone on with: signed reasoning, or one that no other vendor writes.
 */
export function resumedEncoder(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined {
  let started = false
  let index = 0
  let calls = 0
  let open: { readonly block: JsonObject; readonly json: string[]; signed: boolean } | undefined
  for (const { wire } of sent)
    for (const data of dataIn(wire)) {
      const event: unknown = JSON.parse(data)
      if (!isObject(event)) continue
      const { type, content_block: block, delta } = event
      if (type === 'message_start') started = true
      if (type === 'content_block_start' && isObject(block)) {
        open = { block, json: [], signed: false }
        if (block.type === 'tool_use') calls++
      }
      if (type === 'content_block_delta' && isObject(delta) && open) {
        if (typeof delta.partial_json === 'string') open.json.push(delta.partial_json)
        if (delta.type === 'signature_delta') open.signed = true
      }
      if (type === 'content_block_stop') {
        open = undefined
        index++
      }
    }
  const kind = open && KINDS[String(open.block.type)]
  if (!started || (open && (kind === undefined || open.signed))) return undefined
  const opened: OpenedBlock | undefined = open &&
    kind && { kind, block: open.block, args: open.json.join(''), ...(kind === 'tool' && { call: calls - 1 }) }
  const encoder = new MessagesStreamEncoder(prompt, { id: '', created: 0, layer: '' })
  const events = sent.flatMap(frame => frame.events)
  encoder.resume(index, opened, events)
  return encoder
}

const KINDS: Readonly<Record<string, OpenedBlock['kind']>> = { text: 'text', thinking: 'reasoning', tool_use: 'tool' }
