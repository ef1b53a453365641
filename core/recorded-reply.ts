import type { Call, Outlet } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import type { Reply } from './exchange.ts'
import type { OpenExchange } from './open-exchange.ts'

type Part = string | Uint8Array

/** The reply of a call, written to its exchange as far as observers want it. */
export class RecordedReply implements Pick<Call, 'id' | 'send' | 'open' | 'cancellation'> {
  readonly id: string
  readonly cancellation: Cancellation
  readonly #call: Call
  readonly #exchange: OpenExchange
  readonly #kept: number

  /** `kept`: bytes of the body. */
  constructor(call: Call, exchange: OpenExchange, kept: number) {
    this.id = call.id
    this.cancellation = call.cancellation
    this.#call = call
    this.#exchange = exchange
    this.#kept = kept
  }

  send(status: number, headers: Record<string, string>, body: Part = ''): void {
    const whole = this.#begin(status, headers)
    whole.add(body)
    whole.ended = true
    this.#call.send(status, headers, body)
  }

  open(headers: Record<string, string>, keepAlive: string): Outlet {
    const beginning = this.#begin(200, headers)
    const outlet = this.#call.open(headers, keepAlive)
    return {
      write(text) {
        beginning.add(text)
        return outlet.write(text)
      },
      end() {
        beginning.ended = true
        outlet.end()
      },
    }
  }

  #begin(status: number, headers: Reply['headers']): Beginning {
    const beginning = new Beginning(status, headers, this.#kept)
    this.#exchange.reply = beginning
    return beginning
  }
}

class Beginning implements Reply {
  readonly body: Part[] = []
  cut = false
  ended = false
  /** A character is one byte at least, so text is kept to as many characters. */
  #free: number

  constructor(
    readonly status: number,
    readonly headers: Reply['headers'],
    kept: number,
  ) {
    this.#free = kept
  }

  add(part: Part): void {
    if (this.cut || part.length === 0) return
    this.cut = part.length > this.#free
    if (this.#free > 0)
      this.body.push(typeof part === 'string' ? part.slice(0, this.#free) : part.subarray(0, this.#free))
    this.#free -= Math.min(this.#free, part.length)
  }
}
