import { isObject, type JsonObject } from 'deflector'
import { textOf } from './event-members.ts'
import { MessageItem } from './message-item.ts'
import { followed } from './open-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import { type BegunStream, type OpenItem, placeOf } from './stream-encoder.ts'
import type { StreamItem } from './stream-item.ts'

interface Open extends Omit<OpenItem, 'item'> {
  readonly index: number
  /** Absent for an item that nobody but its vendor can go on with. */
  item: StreamItem | undefined
  readonly told: Set<string>
}

/** Reads off a vendor's events how far its stream has come. */
export class BegunStreamReader {
  #head: JsonObject | undefined
  #number = 0
  readonly #output: JsonObject[] = []
  #refused = false
  #open: Open | undefined
  /** The items are not in a row. */
  #isOdd = false

  /** `undefined` where nothing but the vendor's own events can follow. */
  get begun(): BegunStream | undefined {
    const { item, told } = this.#open ?? {}
    if (!this.#head || this.#isOdd || (this.#open && !item)) return undefined
    const open = item && told && { item, told }
    return { head: this.#head, number: this.#number, output: this.#output, refused: this.#refused, open }
  }

  read(event: JsonObject): void {
    const { type, response, output_index: index, item, sequence_number: number } = event
    this.#number = (typeof number === 'number' ? number : this.#number) + 1
    if (isObject(response) && typeof response.id === 'string') this.#head ??= response
    if (typeof index !== 'number') return
    if (type === 'response.output_item.added' && isObject(item)) this.#added(index, item)
    else if (this.#open?.index !== index) this.#isOdd = true
    else if (type === 'response.output_item.done' && isObject(item)) this.#done(item)
    else this.#told(this.#open, event)
  }

  #added(index: number, shown: JsonObject): void {
    if (this.#open || index !== this.#output.length) this.#isOdd = true
    this.#open = { index, item: openItem(shown), told: new Set() }
  }

  #done(item: JsonObject): void {
    this.#output.push(item)
    this.#open = undefined
  }

  #told(open: Open, event: JsonObject): void {
    if (event.type === 'response.refusal.delta') this.#refused = true
    if (open.item && !followed(open.item, event, open.told)) open.item = undefined
    if (event.delta === undefined && event.annotation === undefined) open.told.add(placeOf(event))
  }
}

/** Calls are made once, and reasoning with a proof was not written by whoever goes on. */
function openItem(shown: JsonObject): StreamItem | undefined {
  const id = textOf(shown.id)
  switch (shown.type) {
    case 'message':
      return new MessageItem(id, 'phase' in shown ? { phase: shown.phase } : {})
    case 'reasoning':
      return textOf(shown.encrypted_content) === '' ? new ReasoningItem(id) : undefined
    default:
      return undefined
  }
}
