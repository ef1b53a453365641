import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { CallPlaces } from './call-places.ts'

/** The whole answer that the chunks of a stream amount to, with all that they hold; `undefined` where that is not clear. */
export function wholeOfChunks(events: Iterable<WireEvent>): string | undefined {
  const whole = new WholeDraft()
  for (const { data } of events) {
    if (data.trim() === '[DONE]' || data.trim() === '') continue
    const chunk = parseExact(data)
    if (!isObject(chunk)) return undefined
    whole.add(chunk)
  }
  return whole.text()
}

class WholeDraft {
  readonly #members: JsonObject = {}
  readonly #choices = new Map<number, ChoiceDraft>()
  #isClear = true

  add({ choices, ...members }: JsonObject): void {
    for (const [name, value] of Object.entries(members)) {
      if (name === 'id' || name === 'created') this.#members[name] ??= value
      else if (name !== 'object' && name !== 'obfuscation') replace(this.#members, name, value)
    }
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice)) continue
      const index = typeof choice.index === 'number' ? choice.index : 0
      const draft = this.#choices.get(index) ?? new ChoiceDraft()
      this.#choices.set(index, draft)
      this.#isClear = draft.add(choice) && this.#isClear
    }
  }

  text(): string | undefined {
    if (!this.#isClear || this.#choices.size === 0) return undefined
    const { id, created, model, usage, ...others } = this.#members
    const choices = [...this.#choices].map(([index, draft]) => ({ index, ...draft.whole() }))
    const known = { id, object: 'chat.completion', created, model, choices }
    return exactJson({ ...known, ...(usage !== undefined && { usage }), ...others })
  }
}

/** The later value over the earlier, unless it says nothing. */
function replace(members: JsonObject, name: string, value: unknown): void {
  const isEmpty = value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0)
  if (isEmpty) members[name] ??= value
  else members[name] = value
}

/** Texts of a message that a stream cuts into pieces. */
const TEXTS: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'refusal'])
/** Lists of a message that a stream sends piece by piece. */
const LISTS: ReadonlySet<string> = new Set(['annotations', 'images', 'citations', 'executed_tools'])

class ChoiceDraft {
  readonly #members: JsonObject = {}
  readonly #message: JsonObject = {}
  readonly #logprobs: Record<string, unknown[]> = {}
  readonly #calls = new CallPlaces<CallDraft>((_, id) => new CallDraft(id))

  /** False when it is not clear how a piece goes on. */
  add({ index: _, delta, message, logprobs, ...members }: JsonObject): boolean {
    for (const [name, value] of Object.entries(members)) replace(this.#members, name, value)
    if (logprobs === null) this.#members.logprobs ??= null
    if (isObject(logprobs))
      for (const [name, list] of Object.entries(logprobs)) {
        if (Array.isArray(list)) this.#logprobs[name] = [...(this.#logprobs[name] ?? []), ...list]
        else if (list !== null) return false
      }
    const said = delta ?? message
    return !isObject(said) || Object.entries(said).every(([name, value]) => this.#extend(name, value))
  }

  #extend(name: string, value: unknown): boolean {
    const message = this.#message
    const before = message[name]
    if (value === null || value === undefined || (value === '' && before !== undefined)) {
      message[name] ??= value
      return true
    }
    if (name === 'content') return this.#extendContent(value)
    if (name === 'tool_calls') return this.#extendCalls(value)
    if (name === 'function_call' && isObject(value)) {
      message[name] = joined(isObject(before) ? before : {}, value, 'arguments')
      return true
    }
    if (TEXTS.has(name) && typeof value === 'string') {
      message[name] = (typeof before === 'string' ? before : '') + value
      return true
    }
    if (LISTS.has(name) && Array.isArray(value)) {
      message[name] = [...(Array.isArray(before) ? before : []), ...value]
      return true
    }
    if (name === 'reasoning_details' && Array.isArray(value)) {
      const list = Array.isArray(before) ? before : []
      message[name] = list
      for (const detail of value) addDetail(list, detail)
      return true
    }
    message[name] = value
    // A member that is not known may go on, or may be said again.
    return before === undefined || before === null || exactJson(before) === exactJson(value)
  }

  #extendContent(value: unknown): boolean {
    const message = this.#message
    const before = message.content
    if (typeof value === 'string' && !Array.isArray(before)) {
      message.content = (typeof before === 'string' ? before : '') + value
      return true
    }
    const parts: unknown[] = Array.isArray(before) ? before : before ? [{ type: 'text', text: before }] : []
    if (typeof value === 'string' && value !== '') addPart(parts, { type: 'text', text: value })
    if (Array.isArray(value)) for (const part of value) addPart(parts, part)
    message.content = parts
    return true
  }

  #extendCalls(calls: unknown): boolean {
    if (!Array.isArray(calls)) return false
    for (const call of calls) {
      if (!isObject(call)) return false
      const body = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
      this.#calls.find(call.index, textOf(call.id), textOf(body.name)).add(call)
    }
    return true
  }

  whole(): JsonObject {
    const { finish_reason = null, ...members } = this.#members
    const { role = 'assistant', content = null, ...message } = this.#message
    // A call's index is its place, whichever of several was begun first.
    const calls = this.#calls.all.toSorted((one, other) => one.place - other.place).map(call => call.whole)
    const hasLogprobs = Object.keys(this.#logprobs).length > 0
    return {
      message: { role, content, ...message, ...(calls.length > 0 && { tool_calls: calls }) },
      ...members,
      ...(hasLogprobs && { logprobs: this.#logprobs }),
      finish_reason,
    }
  }
}

class CallDraft {
  id: string
  /** The host's index; calls of hosts that count none, or wrong, stay in order. */
  place = 0
  whole: JsonObject = {}

  constructor(id: string) {
    this.id = id
  }

  add({ index, function: plain, custom, ...members }: JsonObject): void {
    if (typeof index === 'number') this.place = index
    this.id ||= textOf(members.id)
    for (const [name, value] of Object.entries(members)) {
      if (name === 'id') this.whole.id ||= value
      else replace(this.whole, name, value)
    }
    for (const [name, body, goesOn] of [
      ['function', plain, 'arguments'],
      ['custom', custom, 'input'],
    ] as const) {
      const before = this.whole[name]
      if (isObject(body)) this.whole[name] = joined(isObject(before) ? before : {}, body, goesOn)
    }
  }
}

/** Some hosts repeat the name in every piece; only one member goes on. */
function joined(before: JsonObject, piece: JsonObject, goesOn: string): JsonObject {
  const whole = { ...before }
  for (const [name, value] of Object.entries(piece)) {
    if (name !== goesOn) whole[name] = whole[name] || value
    else if (typeof value === 'string') whole[name] = textOf(whole[name]) + value
    else if (value !== null && value !== undefined) whole[name] = value
  }
  return whole
}

/** Parts of one kind that follow each other are one (Mistral's text and thinking). */
function addPart(parts: unknown[], part: unknown): void {
  const last: unknown = parts.at(-1)
  if (isObject(last) && isObject(part) && last.type === part.type) {
    if (part.type === 'text' && typeof last.text === 'string' && typeof part.text === 'string') {
      parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
      return
    }
    if (part.type === 'thinking' && Array.isArray(last.thinking) && Array.isArray(part.thinking)) {
      const thinking: unknown[] = [...last.thinking]
      for (const inner of part.thinking) addPart(thinking, inner)
      parts[parts.length - 1] = { ...last, ...part, thinking }
      return
    }
  }
  parts.push(part)
}

/** A detail of reasoning goes on in the next of the same type and index (OpenRouter); what is encrypted is whole. */
function addDetail(details: unknown[], detail: unknown): void {
  const last: unknown = details.at(-1)
  const goesOn =
    isObject(last) &&
    isObject(detail) &&
    last.type === detail.type &&
    last.index === detail.index &&
    detail.type !== 'reasoning.encrypted' &&
    !isText(last.signature)
  if (!goesOn) {
    details.push(detail)
    return
  }
  const whole: JsonObject = { ...last }
  for (const [name, value] of Object.entries(detail)) {
    const before = whole[name]
    if ((name === 'text' || name === 'summary') && isText(value)) whole[name] = textOf(before) + value
    else if (value !== null && value !== undefined) whole[name] = value
  }
  details[details.length - 1] = whole
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
