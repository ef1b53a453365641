import { setImmediate } from 'node:timers'
import { type Answer, Cancellation, type Exchange, GatewayError, Memo, withFacts } from 'deflector'

/** Starts the call to the providers. It is cancelled when no client waits for the answer any more. */
export type StartCall = (cancellation: Cancellation) => Promise<Answer>

/** The call that an exchange leads. */
const leading = new Memo<SharedCall>()

/** Identical exchanges at the same time share one call: the first starts it, the others join it. */
export class SingleFlight {
  /**
   * Each key has one cell, which is emptied when the call is over. V8 links a map's former tables to the current one, so
   * that a call in them would stay in memory until a full collection.
   */
  readonly #calls = new Map<string, { call: SharedCall | undefined }>()
  #over: SharedCall[] = []

  /** The answer to `exchange`: from a running call with the same `key`, else from `start`. */
  share(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    const call = this.#calls.get(key)?.call
    return call ? this.#join(call, exchange, start) : this.#lead(key, exchange, start)
  }

  async #join(call: SharedCall, exchange: Exchange, start: StartCall): Promise<Answer> {
    const { cancellation } = exchange
    const leave = call.join(cancellation)
    exchange.note('joined')
    const answer = await cancellation.guard(call.answer).catch(error => {
      throw cancellation.cancelled ? new GatewayError('client_left', 'the client left before the answer came') : error
    })
    if (answer.kind !== 'live' || answer.joinable) return withFacts(answer, { joined: true })
    // The stream is too large to be replayed from its start. Later requests join this second call.
    leave()
    exchange.note('too large to join')
    return this.#lead(call.key, exchange, start)
  }

  /** Ends sharing after the leader's write-back: from now on the cache has the answer. */
  finish(exchange: Exchange): void {
    const call = leading.of(exchange)
    if (!call) return
    // One turn later, because an exchange that missed in the cache just before has not joined yet.
    if (this.#over.push(call) === 1) setImmediate(() => this.#dropOver())
  }

  #dropOver(): void {
    const over = this.#over
    this.#over = []
    for (const call of over) this.#drop(call)
  }

  /** Number of running calls. */
  get size(): number {
    return this.#calls.size
  }

  #lead(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    const call = new SharedCall(key, start, () => this.#drop(call))
    this.#calls.set(key, { call })
    leading.set(exchange, call)
    call.join(exchange.cancellation)
    return call.answer
  }

  #drop(call: SharedCall): void {
    const cell = this.#calls.get(call.key)
    if (cell?.call !== call) return
    cell.call = undefined
    this.#calls.delete(call.key)
  }
}

/** One call and the exchanges that wait for it, for its first byte or for the rest of its stream. */
class SharedCall {
  readonly answer: Promise<Answer>
  readonly #cancellation = new Cancellation()
  #waiters = 0

  constructor(
    readonly key: string,
    start: StartCall,
    /** Called before the call is cancelled, so that no exchange joins it any more. */
    private readonly onAbandoned: () => void,
  ) {
    this.answer = start(this.#cancellation)
  }

  /** Adds a waiter, until its cancellation or until the returned function is called. */
  join(waiter: Cancellation): () => void {
    this.#waiters++
    let forget: (() => void) | undefined
    const leave = (): void => {
      forget?.()
      this.#waiters--
      if (this.#waiters > 0) return
      this.onAbandoned()
      this.#cancellation.cancel(new GatewayError('client_left', 'all clients that waited for the answer have left'))
    }
    forget = waiter.onCancel(leave)
    return leave
  }
}
