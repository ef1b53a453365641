import { setImmediate } from 'node:timers'
import { type Answer, type Exchange, GatewayError, withFacts } from 'deflector'
import { Ending } from './ending.ts'

/** Asks for real. The call is ended when nobody waits for the answer any more. */
export type TakeOff = (ending: Ending) => Promise<Answer>

/** Exchanges that ask the same at the same time share one call: the first leads, the others join. */
export class Flights {
  readonly #flights = new Map<string, Flight>()
  readonly #leaders = new WeakMap<Exchange, Flight>()
  #over: Flight[] = []

  /** The answer to `exchange`, by `takeOff` or from a flight on its way under the same `key`. */
  async board(key: string, exchange: Exchange, takeOff: TakeOff): Promise<Answer> {
    const flight = this.#flights.get(key)
    if (!flight) return this.#lead(key, exchange, takeOff)
    const leave = flight.wait(exchange.signal)
    exchange.note('joined')
    const answer = await orAborted(flight.answer, exchange.signal).catch(error => {
      throw exchange.signal.aborted ? new GatewayError('unanswered', 'the client left before the answer came') : error
    })
    if (answer.kind === 'whole' || answer.joinable) return withFacts(answer, { joined: true })
    // Too large to be read from its beginning. Whoever comes next joins this second call.
    leave()
    exchange.note('too large to join')
    return this.#lead(key, exchange, takeOff)
  }

  /** The leader's exchange is over, its write-back too: from now on the cache has the answer. */
  finish(exchange: Exchange): void {
    const flight = this.#leaders.get(exchange)
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
    this.#flights.set(key, flight)
    this.#leaders.set(exchange, flight)
    flight.wait(exchange.signal)
    return flight.answer
  }

  #drop(flight: Flight): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key)
  }
}

/** One call and all who wait for it, be it for its first byte or for the rest of its stream. */
class Flight {
  readonly answer: Promise<Answer>
  readonly #ending = new Ending()
  #waiting = 0

  constructor(
    readonly key: string,
    takeOff: TakeOff,
    /** An aborted call is nobody's to join. */
    private readonly abandoned: () => void,
  ) {
    this.answer = takeOff(this.#ending)
  }

  /** Counts one more who waits, until its signal aborts or it leaves by the function given back. */
  wait(signal: AbortSignal): () => void {
    this.#waiting++
    const leave = (): void => {
      signal.removeEventListener('abort', leave)
      this.#waiting--
      if (this.#waiting > 0) return
      this.abandoned()
      this.#ending.abort(new GatewayError('unanswered', 'everybody who waited for the answer has left'))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return leave
  }
}

/** The work's outcome, or the abort's reason. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
