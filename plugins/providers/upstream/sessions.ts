import { type Answer, type Clock, type Host, isProviderError, type ProviderCall } from 'deflector'
import { transportFailure } from './transport-failure.ts'

/** A short-lived token, and where it is valid. */
export interface Session {
  readonly token: string
  /** Absent where the vendor leaves it to the caller. */
  readonly endpoint?: string | undefined
  /** When a new one is needed, by the monotonic clock. */
  readonly until: number
}

/** What is told when a token is no longer, or not here, the one to use. */
const STALE = new Set([401, 421])

/** Short-lived tokens, by the long-lived credentials that they are made from. */
export class Sessions {
  readonly #clock: Clock
  readonly #exchange: (key: string) => Promise<Session>
  readonly #live: Map<string, Session>
  /** Exchanges under way: calls that need the same token wait for one of them. */
  readonly #awaited = new Map<string, Promise<Session>>()
  readonly #used = new WeakMap<ProviderCall, Session>()

  /** `kept` names what outlives a reload. `exchange` throws only `ProviderError`. */
  constructor({ keep, clock }: Host, kept: string, exchange: (key: string) => Promise<Session>) {
    this.#clock = clock
    this.#exchange = exchange
    this.#live = keep(
      kept,
      () => new Map<string, Session>(),
      () => {},
    )
  }

  /** The token of a call. Throws only `ProviderError`. */
  async for(call: ProviderCall, key: string): Promise<Session> {
    try {
      const session = await call.cancellation.guard(this.#of(key))
      this.#used.set(call, session)
      return session
    } catch (error) {
      throw transportFailure(error, call.cancellation) // others may wait for the same token
    }
  }

  /** The answer to a call, asked once more with a fresh token if the vendor takes the first one no more. */
  async answer(call: ProviderCall, ask: (call: ProviderCall) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(call)
    } catch (error) {
      const session = this.#used.get(call)
      if (!session || call.key === undefined || !isProviderError(error) || !STALE.has(error.status ?? 0)) throw error
      // A newer one stays.
      if (this.#live.get(call.key) === session) this.#live.delete(call.key)
      this.#used.delete(call)
      return ask(call)
    }
  }

  async #of(key: string): Promise<Session> {
    const live = this.#live.get(key)
    if (live && live.until > this.#clock.monotonic()) return live
    const awaited = this.#awaited.get(key) ?? this.#renew(key)
    this.#awaited.set(key, awaited)
    return awaited
  }

  async #renew(key: string): Promise<Session> {
    try {
      const session = await this.#exchange(key)
      this.#live.set(key, session)
      return session
    } finally {
      this.#awaited.delete(key)
    }
  }
}
