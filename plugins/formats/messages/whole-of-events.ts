import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { argsObject } from '../args-object.ts'
import { exactJson, parseExact } from '../exact-json.ts'

/** The message that the events of a stream amount to, with all that they hold; `undefined` where that is not clear. */
export function wholeOfEvents(events: Iterable<WireEvent>): string | undefined {
  const whole = new MessageDraft()
  for (const { data } of events) {
    const event = parseExact(data)
    if (!isObject(event) || !whole.add(event)) return undefined
  }
  return whole.text()
}

interface BlockDraft {
  block: JsonObject
  readonly json: string[]
}

class MessageDraft {
  #message: JsonObject = {}
  #usage: JsonObject = {}
  readonly #blocks = new Map<unknown, BlockDraft>()
  #ended = false

  /** False for an event that is not known. */
  add(event: JsonObject): boolean {
    switch (event.type) {
      case 'ping':
      case 'content_block_stop':
        return true
      case 'message_start':
        return this.#begin(event.message)
      case 'content_block_start': {
        const block = event.content_block
        if (!isObject(block)) return false
        this.#blocks.set(event.index, { block: { ...block }, json: [] })
        return true
      }
      case 'content_block_delta': {
        const draft = this.#blocks.get(event.index)
        return draft !== undefined && isObject(event.delta) && extend(draft, event.delta)
      }
      case 'message_delta':
        this.#finish(event)
        return true
      case 'message_stop':
        this.#ended = true
        return true
      default:
        return false
    }
  }

  text(): string | undefined {
    if (!this.#ended) return undefined
    const content = [...this.#blocks.values()].map(({ block, json }) =>
      json.length > 0 ? { ...block, input: argsObject(json.join('')) } : block,
    )
    return exactJson({ ...this.#message, content, usage: this.#usage })
  }

  #begin(message: unknown): boolean {
    if (!isObject(message)) return false
    this.#message = { ...message }
    if (isObject(message.usage)) this.#usage = { ...message.usage }
    return true
  }

  /** Its `delta` and what stands beside it are members of the message. Counts are cumulative. */
  #finish({ type: _, delta, usage, ...beside }: JsonObject): void {
    for (const members of [delta, beside])
      for (const [name, value] of Object.entries(isObject(members) ? members : {}))
        if (value !== null || !(name in this.#message)) this.#message[name] = value
    for (const [name, value] of Object.entries(isObject(usage) ? usage : {})) {
      const before = this.#usage[name]
      if (typeof value === 'number' && typeof before === 'number') this.#usage[name] = Math.max(before, value)
      else if (value !== null || !(name in this.#usage)) this.#usage[name] = value
    }
  }
}

/** False for a delta that is not known. */
function extend(draft: BlockDraft, { type, ...delta }: JsonObject): boolean {
  const { block } = draft
  switch (type) {
    case 'text_delta':
      return append(block, 'text', delta.text)
    case 'thinking_delta':
      return append(block, 'thinking', delta.thinking)
    case 'signature_delta':
      return append(block, 'signature', delta.signature)
    case 'input_json_delta':
      if (typeof delta.partial_json === 'string' && delta.partial_json !== '') draft.json.push(delta.partial_json)
      return true
    case 'citations_delta': {
      const before: unknown[] = Array.isArray(block.citations) ? block.citations : []
      block.citations = [...before, delta.citation]
      return true
    }
    case 'compaction_delta':
      Object.assign(block, delta)
      return true
    default:
      return false
  }
}

function append(block: JsonObject, name: string, piece: unknown): boolean {
  if (typeof piece !== 'string') return false
  const before = block[name]
  block[name] = (typeof before === 'string' ? before : '') + piece
  return true
}
