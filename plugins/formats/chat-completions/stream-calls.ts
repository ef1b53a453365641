import { type AnswerEvent, isObject, type JsonObject } from 'deflector'
import { argsText } from '../args-text.ts'
import { freshId } from '../fresh-id.ts'
import { CallPlaces } from './call-places.ts'

interface OpenCall {
  readonly index: number
  id: string
  name: string
  kind?: 'custom'
  /** Arguments that came before the name did. */
  early: string
  /** Has its `tool_call` event gone out? */
  told: boolean
}

/** Tells the pieces of tool calls apart. */
export class CallReader {
  readonly #calls = new CallPlaces<OpenCall>((index, id) => ({ index, id, name: '', early: '', told: false }))

  get any(): boolean {
    return this.#calls.all.length > 0
  }

  read(item: JsonObject): AnswerEvent[] {
    const body = isObject(item.function) ? item.function : isObject(item.custom) ? item.custom : {}
    const id = textOf(item.id)
    const name = textOf(body.name)
    const call = this.#calls.find(item.index, id, name)
    const piece = argsText(body.arguments ?? body.input)
    if (call.told) return piece === '' ? [] : [{ type: 'tool_args', index: call.index, text: piece }]
    call.id ||= id
    call.name ||= name
    if (isObject(item.custom)) call.kind = 'custom'
    call.early += piece
    return call.name === '' ? [] : this.#tell(call)
  }

  /** What is still held back when the answer finishes: nothing, unless a call never got its name. */
  rest(): AnswerEvent[] {
    if (this.#calls.all.some(call => !call.told)) throw new Error('the stream holds a tool call without a name')
    return []
  }

  #tell(call: OpenCall): AnswerEvent[] {
    const { index, name, early, kind } = call
    call.told = true
    call.id ||= `call_${freshId()}`
    const events: AnswerEvent[] = [{ type: 'tool_call', index, id: call.id, name, ...(kind && { kind }) }]
    if (early !== '') events.push({ type: 'tool_args', index, text: early })
    return events
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
