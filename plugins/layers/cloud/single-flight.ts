import { setImmediate } from 'node:timers'
import {
  type Answer,
  Cancellation,
  type Exchange,
  GatewayError,
  isGatewayError,
  Memo,
  UnderWayByKey,
  withFacts,
} from 'deflector'

/** Starts the call to the providers. It is cancelled when no client waits for the answer any more. */
export type StartCall = (cancellation: Cancellation) => Promise<Answer>

/** The call that an exchange leads. */
const leading = new Memo<SharedCall>()
/** Which of all exchanges an exchange is, counted as they come. */
const turns = new Memo<number>()

/** Identical exchanges at the same time share one call: the first starts it, the others join it. */
export class SingleFlight {
  readonly #calls = new UnderWayByKey<SharedCall>()
  /** Calls that have ended. Who came before their end may have missed their answers in the caches, and joins them yet. */
  #over: SharedCall[] = []
  #sweeping = false
  #come = 0
  /** Exchanges that came and have neither asked here nor ended, the oldest first. */
  readonly #underWay = new Set<number>()

  /** An exchange comes in, which caches may answer before it asks here. One that was refused meanwhile has ended. */
  come(exchange: Exchange): void {
    if (turns.of(exchange) !== undefined) return
    this.#come++
    turns.set(exchange, this.#come)
    this.#underWay.add(this.#come)
  }

  /** It asks for no shared call. */
  pass(exchange: Exchange): void {
    const turn = turns.of(exchange)
    if (turn !== undefined && this.#underWay.delete(turn) && this.#over.length > 0) this.#sweepSoon()
  }

  /** The answer to `exchange`: from a call with the same `key` that it has met, else from `start`. */
  share(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    this.pass(exchange)
    const call = this.#calls.get(key)
    const { lastTurn = Number.POSITIVE_INFINITY } = call ?? {}
    return call && (turns.of(exchange) ?? 0) <= lastTurn
      ? this.#join(call, exchange, start)
      : this.#lead(key, exchange, start)
  }

  async #join(call: SharedCall, exchange: Exchange, start: StartCall): Promise<Answer> {
    const { cancellation, principal } = exchange
    const leave = call.join(cancellation)
    exchange.note('joined')
    let answer: Answer
    try {
      answer = await cancellation.guard(call.answer)
    } catch (error) {
      if (cancellation.cancelled) throw new GatewayError('client_left', 'the client left before the answer came')
      if (principal === call.principal || !isRefusal(error)) throw error
      leave()
      exchange.note('refused to another')
      return this.#askAnew(call, exchange, start)
    }
    if (answer.kind !== 'live' || answer.joinable) return withFacts(answer, { joined: true })
    // The stream is too large to be replayed from its start. Later requests join this second call.
    leave()
    exchange.note('too large to join')
    return this.#lead(call.key, exchange, start)
  }

  /** Of several who were in one call, the first leads the next one. */
  #askAnew(over: SharedCall, exchange: Exchange, start: StartCall): Promise<Answer> {
    const next = this.#calls.get(over.key)
    return next && next !== over ? this.#join(next, exchange, start) : this.#lead(over.key, exchange, start)
  }

  /** After the leader's write-back, who comes finds the answer in the cache: no more may join, but for those under way. */
  finish(exchange: Exchange): void {
    this.pass(exchange)
    if (turns.of(exchange) === undefined) turns.set(exchange, 0)
    const call = leading.of(exchange)
    if (!call) return
    // Nobody is handed a failure that it has not waited for.
    call.lastTurn = exchange.failure ? 0 : this.#come
    this.#over.push(call)
    this.#sweepSoon()
  }

  #sweepSoon(): void {
    if (this.#sweeping) return
    this.#sweeping = true
    setImmediate(() => this.#sweep())
  }

  /** Drops the calls that nobody can join any more. */
  #sweep(): void {
    this.#sweeping = false
    const [oldest = Number.POSITIVE_INFINITY] = this.#underWay
    const over = this.#over
    this.#over = []
    for (const call of over) {
      if ((call.lastTurn ?? 0) >= oldest) this.#over.push(call)
      else this.#drop(call)
    }
  }

  /** Number of running calls. */
  get size(): number {
    return this.#calls.size
  }

  #lead(key: string, exchange: Exchange, start: StartCall): Promise<Answer> {
    const call = new SharedCall(key, exchange.principal, start, () => this.#drop(call))
    this.#calls.set(key, call)
    leading.set(exchange, call)
    call.join(exchange.cancellation)
    return call.answer
  }

  #drop(call: SharedCall): void {
    if (this.#calls.get(call.key) === call) this.#calls.delete(call.key)
  }
}

/** Said by the gateway and not by a vendor, about who asks perhaps: a limit of one key is none of another's. */
const isRefusal = (error: unknown): boolean =>
  isGatewayError(error) && error.code !== 'vendor_refused' && error.status < 500 && !error.recoverable

/** One call and the exchanges that wait for it, for its first byte or for the rest of its stream. */
class SharedCall {
  readonly answer: Promise<Answer>
  /** Of a call that is over: the last exchange that came before its end. */
  lastTurn: number | undefined
  readonly #cancellation = new Cancellation()
  #waiters = 0

  constructor(
    readonly key: string,
    /** Who started it. */
    readonly principal: string | undefined,
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
