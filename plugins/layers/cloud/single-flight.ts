import { setImmediate } from 'node:timers'
import { type Answer, Cancellation, type Exchange, GatewayError, Memo, withFacts } from 'deflector'

/** Asks for real. The call is cancelled when nobody waits for the answer any more. */
export type StartCall = (cancellation: Cancellation) => Promise<Answer>

/** The call that an exchange leads. */
const leading = new Memo<SharedCall>()

/** Exchanges that ask the same at the same time share one call: the first leads, the others join. */
export class SingleFlight {
  /**
   * One cell a key, emptied when the call is over: V8 links a map's former tables to the present one, and what they
   * still hold lives on until a full collection.
   */
  readonly #calls = new Map<string, { call: SharedCall | undefined }>()
  #over: SharedCall[] = []

  /** The answer to `exchange`, by `start` or from a call on its way under the same `key`. */
  share(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    const call = this.#calls.get(key)?.call
    return call ? this.#join(call, exchange, start) : this.#lead(key, exchange, start)
  }

  async #join(call: SharedCall, exchange: Exchange, start: StartCall): Promise<Answer> {
    const { cancellation } = exchange
    const leave = call.wait(cancellation)
    exchange.note('joined')
    const answer = await cancellation.guard(call.answer).catch(error => {
      throw cancellation.cancelled ? new GatewayError('unanswered', 'the client left before the answer came') : error
    })
    if (answer.kind !== 'live' || answer.joinable) return withFacts(answer, { joined: true })
    // Too large to be read from its beginning. Whoever comes next joins this second call.
    leave()
    exchange.note('too large to join')
    return this.#lead(call.key, exchange, start)
  }

  /** The leader's exchange is over, its write-back too: from now on the cache has the answer. */
  finish(exchange: Exchange): void {
    const call = leading.of(exchange)
    if (!call) return
    // One turn later: an exchange that looked into the cache just before is still on its way here.
    if (this.#over.push(call) === 1) setImmediate(() => this.#dropOver())
  }

  #dropOver(): void {
    const over = this.#over
    this.#over = []
    for (const call of over) this.#drop(call)
  }

  /** Flights on their way. */
  get size(): number {
    return this.#calls.size
  }

  #lead(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    const call = new SharedCall(key, start, () => this.#drop(call))
    this.#calls.set(key, { call })
    leading.set(exchange, call)
    call.wait(exchange.cancellation)
    return call.answer
  }

  #drop(call: SharedCall): void {
    const cell = this.#calls.get(call.key)
    if (cell?.call !== call) return
    cell.call = undefined
    this.#calls.delete(call.key)
  }
}

/** One call and all who wait for it, be it for its first byte or for the rest of its stream. */
class SharedCall {
  readonly answer: Promise<Answer>
  readonly #cancellation = new Cancellation()
  #waiting = 0

  constructor(
    readonly key: string,
    start: StartCall,
    /** A cancelled call is nobody's to join. */
    private readonly abandoned: () => void,
  ) {
    this.answer = start(this.#cancellation)
  }

  /** Counts one more who waits, until it is cancelled or leaves by the function given back. */
  wait(waiting: Cancellation): () => void {
    this.#waiting++
    let forget: (() => void) | undefined
    const leave = (): void => {
      forget?.()
      this.#waiting--
      if (this.#waiting > 0) return
      this.abandoned()
      this.#cancellation.cancel(new GatewayError('unanswered', 'everybody who waited for the answer has left'))
    }
    forget = waiting.onCancel(leave)
    return leave
  }
}
