import type { JsonObject, ToolCallBlock } from 'deflector'
import { ObjectEnd } from '../object-end.ts'
import { shortName } from './names.ts'
import type { ItemEvent, ItemStatus, StreamItem } from './stream-item.ts'

type Call = Pick<ToolCallBlock, 'id' | 'name' | 'kind' | 'namespace'>

/** A call of a function or of a free-form tool. */
export class CallItem implements StreamItem {
  readonly #id: string
  readonly #call: Call
  readonly #end = new ObjectEnd()
  #args = ''
  #told = 0

  constructor(id: string, call: Call) {
    this.#id = id
    this.#call = call
  }

  get begun(): JsonObject {
    const { id, name, kind, namespace } = this.#call
    const about = {
      call_id: id,
      name: shortName(name, namespace),
      ...(namespace !== undefined && { namespace }),
    }
    if (kind === 'custom') return { id: this.#id, type: 'custom_tool_call', status: 'in_progress', ...about, input: '' }
    return { id: this.#id, type: 'function_call', status: 'in_progress', ...about, arguments: '' }
  }

  /** Free text has no end that could be seen. */
  get complete(): boolean {
    return this.#call.kind !== 'custom' && this.#end.reached
  }

  extend(text: string): void {
    this.#args += text
    this.#end.push(text)
  }

  take(): ItemEvent[] {
    if (this.#isBlank) return []
    const delta = this.#args.slice(this.#told)
    this.#told = this.#args.length
    return delta === '' ? [] : [this.#delta(delta)]
  }

  close(): ItemEvent[] {
    const text = this.#text
    const rest = this.#isBlank ? text : this.#args.slice(this.#told)
    const last = rest === '' ? [] : [this.#delta(rest)]
    if (this.#call.kind === 'custom')
      return [...last, { type: 'response.custom_tool_call_input.done', item_id: this.#id, input: text }]
    const { name, namespace } = this.#call
    return [
      ...last,
      {
        type: 'response.function_call_arguments.done',
        item_id: this.#id,
        name: shortName(name, namespace),
        arguments: text,
      },
    ]
  }

  done(status: ItemStatus): JsonObject {
    const { kind } = this.#call
    return { ...this.begun, status, [kind === 'custom' ? 'input' : 'arguments']: this.#text }
  }

  /** All of it. Nothing at all means no arguments, and only `{}` says so to everybody. */
  get #text(): string {
    return this.#call.kind === 'custom' || !this.#isBlank ? this.#args : '{}'
  }

  get #isBlank(): boolean {
    return this.#call.kind !== 'custom' && this.#args.trim() === ''
  }

  #delta(delta: string): ItemEvent {
    const what = this.#call.kind === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments'
    return { type: `response.${what}.delta`, item_id: this.#id, delta }
  }
}
