import { setImmediate } from 'node:timers'
import { type Answer, Cancellation, type Exchange, GatewayError, Memo, withFacts } from 'deflector'

/** Asks for real. The call is cancelled when nobody waits for the answer any more. */
export type TakeOff = (cancellation: Cancellation) => Promise<Answer>

/** The flight that an exchange leads. */
const leading = new Memo<Flight>()

/** Exchanges that ask the same at the same time share one call: the first leads, the others join. */
export class Flights {
  /**
   * One cell a key, emptied when the flight is over: V8 links a map's former tables to the present one, and what they
   * still hold lives on until a full collection.
   */
  readonly #flights = new Map<string, { flight: Flight | undefined }>()
  #over: Flight[] = []

  /** The answer to `exchange`, by `takeOff` or from a flight on its way under the same `key`. */
  board(key: string, exchange: Exchange, takeOff: TakeOff): Promise<Answer> {
    const flight = this.#flights.get(key)?.flight
    return flight ? this.#join(flight, exchange, takeOff) : this.#lead(key, exchange, takeOff)
  }

  async #join(flight: Flight, exchange: Exchange, takeOff: TakeOff): Promise<Answer> {
    const { cancellation } = exchange
    const leave = flight.wait(cancellation)
    exchange.note('joined')
    const answer = await cancellation.guard(flight.answer).catch(error => {
      throw cancellation.cancelled ? new GatewayError('unanswered', 'the client left before the answer came') : error
    })
    if (answer.kind === 'whole' || answer.joinable) return withFacts(answer, { joined: true })
    // Too large to be read from its beginning. Whoever comes next joins this second call.
    leave()
    exchange.note('too large to join')
    return this.#lead(flight.key, exchange, takeOff)
  }

  /** The leader's exchange is over, its write-back too: from now on the cache has the answer. */
  finish(exchange: Exchange): void {
    const flight = leading.of(exchange)
    if (!flight) return
    // One turn later: an exchange that looked into the cache just before is still on its way here.
    if (this.#over.push(flight) === 1) setImmediate(() => this.#dropOver())
  }

  #dropOver(): void {
    const over = this.#over
    this.#over = []
    for (const flight of over) this.#drop(flight)
  }

  /** Flights on their way. */
  get size(): number {
    return this.#flights.size
  }

  #lead(key: string, exchange: Exchange, takeOff: TakeOff): Promise<Answer> {
    const flight = new Flight(key, takeOff, () => this.#drop(flight))
    this.#flights.set(key, { flight })
    leading.set(exchange, flight)
    flight.wait(exchange.cancellation)
    return flight.answer
  }

  #drop(flight: Flight): void {
    const cell = this.#flights.get(flight.key)
    if (cell?.flight !== flight) return
    cell.flight = undefined
    this.#flights.delete(flight.key)
  }
}

/** One call and all who wait for it, be it for its first byte or for the rest of its stream. */
class Flight {
  readonly answer: Promise<Answer>
  readonly #cancellation = new Cancellation()
  #waiting = 0

  constructor(
    readonly key: string,
    takeOff: TakeOff,
    /** A cancelled call is nobody's to join. */
    private readonly abandoned: () => void,
  ) {
    this.answer = takeOff(this.#cancellation)
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
