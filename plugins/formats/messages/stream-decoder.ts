import {
  type AnswerEvent,
  type Citation,
  type Frame,
  isObject,
  type JsonObject,
  type StreamDecoder,
  type WireEvent,
} from 'deflector'
import { z } from 'zod'
import { argsObject } from '../args-object.ts'
import { optional } from '../body.ts'
import { exactJson } from '../exact-json.ts'
import { withExactMembers } from '../exact-members.ts'
import { StreamFault } from '../stream-fault.ts'
import { BOUNDARY } from '../text-block.ts'
import { readCitation } from './citations.ts'
import { eventText } from './events.ts'
import { ARGUMENTS } from './exact.ts'
import { canonicalId } from './ids.ts'
import { opaqueBlock } from './opaque.ts'
import { readStop } from './stop.ts'
import { lostFromBlock, lostFromMessage } from './unmodelled.ts'
import { mergeUsage, readUsage, type WireUsage, wireUsage } from './usage.ts'

const start = z.looseObject({
  message: z.looseObject({ id: z.string(), model: z.string(), usage: optional(wireUsage) }),
})
const blockStart = z.looseObject({ index: z.number(), content_block: z.looseObject({ type: z.string() }) })
const blockDelta = z.compile(
  z.looseObject({
    index: z.number(),
    delta: z.looseObject({
      type: z.string(),
      text: optional(z.string()),
      thinking: optional(z.string()),
      signature: optional(z.string()),
      partial_json: optional(z.string()),
    }),
  }),
)
const blockStop = z.looseObject({ index: z.number() })
const messageDelta = z.looseObject({
  delta: z.looseObject({ stop_reason: optional(z.string()), stop_sequence: optional(z.string()) }),
  usage: optional(wireUsage),
})
const fault = z.looseObject({ error: z.looseObject({ type: z.string(), message: z.string() }) })
const call = z.looseObject({ id: z.string(), name: z.string() })

interface OpenBlock {
  block: JsonObject & { readonly type: string }
  /** Place among the tool calls of this answer. */
  readonly call: number
  readonly json: string[]
  /** Told at its end: the vendor cites whole blocks, and says so before their words. */
  readonly citations: Citation[]
}

/** Reads a vendor's stream. Throws on what the format does not promise, and a `StreamFault` on the vendor's own error. */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #open = new Map<number, OpenBlock>()
  #calls = 0
  #lastIsText = false
  #usage: WireUsage | undefined
  #started = false
  #stopped = false
  #ended = false

  push({ event, data }: WireEvent): AnswerEvent[] {
    if (this.#ended) return []
    const body: unknown = JSON.parse(data)
    if (!isObject(body)) throw new Error('an event of the stream is not an object')
    const type = typeof body.type === 'string' ? body.type : event
    if (type === 'ping') return []
    if (type === 'error') {
      const { error } = fault.parse(body)
      throw new StreamFault(error.type, error.message)
    }
    if (type === 'message_start') return this.#begin(body)
    if (!this.#started) throw new Error('the stream does not begin with message_start')
    switch (type) {
      case 'content_block_start':
        return this.#openBlock(withExactMembers(body, data, ARGUMENTS))
      case 'content_block_delta':
        return this.#extend(body)
      case 'content_block_stop':
        return this.#closeBlock(blockStop.parse(body).index)
      case 'message_delta':
        return this.#finishUp(body)
      case 'message_stop':
        this.#ended = true
        return [{ type: 'end' }]
      default:
        // The vendor announces that new kinds of events will come.
        return [{ type: 'unmodelled', what: String(type) }]
    }
  }

  /**
   * An answer without its terminator is passed on with ours, once it has said why it stopped. Only where the transport
   * says that nothing is missing is it sure enough to be kept.
   */
  finish(framed = false): Frame[] {
    if (this.#ended) return []
    if (!this.complete) throw new Error('the stream ended before message_stop')
    this.#ended = true
    const doubt = framed ? [] : unmodelled(['a missing terminator'])
    return [{ events: [...doubt, { type: 'end' }], wire: eventText({ type: 'message_stop' }) }]
  }

  get complete(): boolean {
    return this.#stopped && this.#open.size === 0
  }

  #begin(body: JsonObject): AnswerEvent[] {
    const { id, model, usage, ...rest } = start.parse(body).message
    this.#started = true
    this.#usage = usage
    return [
      { type: 'start', id, model, created: 0, ...(usage && { usage: readUsage(usage) }) },
      ...unmodelled(lostFromMessage(rest)),
    ]
  }

  #openBlock(body: JsonObject): AnswerEvent[] {
    const { index, content_block: block } = blockStart.parse(body)
    const open: OpenBlock = { block, call: this.#calls, json: [], citations: [] }
    this.#open.set(index, open)
    const follows = this.#lastIsText
    this.#lastIsText = block.type === 'text'
    switch (block.type) {
      case 'text':
        return [...unmodelled(lostFromBlock(block)), ...(follows ? [BOUNDARY] : []), ...textOf(block.text, 'text')]
      case 'thinking':
        return textOf(block.thinking, 'reasoning')
      case 'redacted_thinking':
        return [{ type: 'signature', redacted: String(block.data ?? ''), origin: 'messages' }]
      case 'tool_use': {
        const { id, name } = call.parse(block)
        return [
          ...unmodelled(lostFromBlock(block)),
          { type: 'tool_call', index: this.#calls++, id: canonicalId(id), name },
        ]
      }
      default:
        return [] // told when it is whole
    }
  }

  #extend(body: JsonObject): AnswerEvent[] {
    const { index, delta } = blockDelta.parse(body)
    const open = this.#open.get(index)
    if (!open) throw new Error('a delta belongs to no open block')
    switch (delta.type) {
      case 'text_delta':
        return textOf(delta.text, 'text')
      case 'thinking_delta':
        return textOf(delta.thinking, 'reasoning')
      case 'signature_delta':
        return delta.signature ? [{ type: 'signature', signature: delta.signature, origin: 'messages' }] : []
      case 'input_json_delta': {
        if (!delta.partial_json) return []
        open.json.push(delta.partial_json)
        return open.block.type === 'tool_use' ? [{ type: 'tool_args', index: open.call, text: delta.partial_json }] : []
      }
      case 'citations_delta': {
        const citation = readCitation(delta.citation)
        // Where exactly in its source the words stand has no place in the canonical shape.
        if (citation) open.citations.push(citation)
        return unmodelled([delta.type])
      }
      case 'compaction_delta':
        open.block = compacted(open.block, delta)
        return []
      default:
        return unmodelled([delta.type])
    }
  }

  #closeBlock(index: number): AnswerEvent[] {
    const open = this.#open.get(index)
    if (!open) throw new Error('a block ends that never began')
    this.#open.delete(index)
    const { block, json, citations } = open
    switch (block.type) {
      case 'text':
        return citations.map(citation => ({ type: 'citation', citation }))
      case 'thinking':
      case 'redacted_thinking':
        return []
      case 'tool_use':
        // No delta at all means the input of the start, which is {} for a call without arguments.
        return json.length > 0 ? [] : [{ type: 'tool_args', index: open.call, text: exactJson(block.input ?? {}) }]
      default: {
        const value = json.length > 0 ? { ...block, input: argsObject(json.join('')) } : block
        return [opaqueBlock(value)]
      }
    }
  }

  #finishUp(body: JsonObject): AnswerEvent[] {
    const { delta, usage } = messageDelta.parse(body)
    const events = unmodelled([...lostFromMessage(body), ...lostFromMessage(delta)])
    if (usage) {
      this.#usage = this.#usage ? mergeUsage(this.#usage, usage) : usage
      events.push({ type: 'usage', usage: readUsage(this.#usage) })
    }
    this.#stopped ||= delta.stop_reason !== undefined
    if (delta.stop_reason !== undefined)
      events.push({ type: 'stop', stop: readStop(delta.stop_reason, delta.stop_sequence) })
    return events
  }
}

/** The delta of a compaction says all of it. */
const compacted = <T extends JsonObject>(block: T, { type: _, ...said }: JsonObject): T => ({ ...block, ...said })

const unmodelled = (lost: readonly string[]): AnswerEvent[] => lost.map(what => ({ type: 'unmodelled', what }))

const textOf = (text: unknown, type: 'text' | 'reasoning'): AnswerEvent[] =>
  typeof text === 'string' && text !== '' ? [{ type, text }] : []
