import { type AnswerEvent, isObject, type JsonObject } from 'deflector'
import { argsText } from '../args-text.ts'

interface OpenCall {
  readonly index: number
  id: string
  name: string
  /** Arguments that came before the name did. */
  early: string
  /** Has its `tool_call` event gone out? */
  told: boolean
}

/** Tells the pieces of tool calls apart. The index is a call's identity in a stream; not every host sends a right one. */
export class CallReader {
  readonly #calls: OpenCall[] = []
  /** The call that stands at each of the host's own indexes at present. */
  readonly #places = new Map<number, OpenCall>()

  get any(): boolean {
    return this.#calls.length > 0
  }

  read(item: JsonObject): AnswerEvent[] {
    const body = isObject(item.function) ? item.function : isObject(item.custom) ? item.custom : {}
    const id = textOf(item.id)
    const name = textOf(body.name)
    const call = this.#find(typeof item.index === 'number' ? item.index : undefined, id, name)
    const piece = argsText(body.arguments ?? body.input)
    if (call.told) return piece === '' ? [] : [{ type: 'tool_args', index: call.index, text: piece }]
    call.id ||= id
    call.name ||= name
    call.early += piece
    return call.name === '' ? [] : this.#tell(call)
  }

  /** What is still held back when the answer finishes: nothing, unless a call never got its name. */
  rest(): AnswerEvent[] {
    if (this.#calls.some(call => !call.told)) throw new Error('the stream holds a tool call without a name')
    return []
  }

  #find(place: number | undefined, id: string, name: string): OpenCall {
    const known = place === undefined ? this.#byId(id) : this.#places.get(place)
    // A host that counts every parallel call as 0 still gives each an id and a name of its own.
    const another = known && id !== '' && known.id !== '' && id !== known.id && name !== ''
    if (known && !another) return known
    const call = { index: this.#calls.length, id, name: '', early: '', told: false }
    this.#calls.push(call)
    if (place !== undefined) this.#places.set(place, call)
    return call
  }

  /** Without an index: the call with this id, or for a piece that names none the call that came last. */
  #byId(id: string): OpenCall | undefined {
    return id === '' ? this.#calls.at(-1) : this.#calls.find(call => call.id === id)
  }

  #tell(call: OpenCall): AnswerEvent[] {
    const { index, name, early } = call
    call.told = true
    call.id ||= `call_${index}`
    const events: AnswerEvent[] = [{ type: 'tool_call', index, id: call.id, name }]
    if (early !== '') events.push({ type: 'tool_args', index, text: early })
    return events
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
