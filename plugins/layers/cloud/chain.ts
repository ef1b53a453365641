import {
  type Answer,
  type CallSpec,
  type Cancellation,
  type Clock,
  type Exchange,
  isGatewayError,
  isProviderError,
  type Log,
  ProviderError,
  type ProviderHandle,
  type ProviderKey,
  type ProviderReason,
  toGatewayError,
  unforeseen,
} from 'deflector'
import { chainFailure, type Failure, isLimit } from './chain-failure.ts'
import { Deadline } from './deadline.ts'
import type { KeyChoice, KeyOwner, KeyPool } from './key-pool.ts'

export interface ChainOptions {
  /** From the first attempt to the first byte, over all providers. */
  readonly timeoutMs: number
  /** Attempts at one provider. A move to another key because of the key alone is not counted. */
  readonly maxAttempts: number
  readonly retryBaseMs: number
  readonly retryCapMs: number
}

/** One exchange's call, before a provider, its model and its key are chosen. */
export type ChainCall = Pick<CallSpec, 'prompt' | 'stream'> & { readonly exchange: Exchange }

/** A provider in the order to be asked, and the model to ask it for. */
export interface Candidate extends KeyOwner {
  readonly provider: ProviderHandle
  readonly model: string | undefined
}

interface Run {
  readonly call: ChainCall
  /** Cancelled when all waiting clients have left, or when the deadline has passed. */
  readonly cancellation: Cancellation
  readonly deadline: Deadline
  readonly failures: Failure[]
  /** The first refusal by a dialect that has no words for the request. */
  unsayable?: ProviderError
}

type Outcome =
  | { readonly answer: Answer; readonly error?: never }
  | { readonly answer?: never; readonly error: ProviderError }

const KINDS: ReadonlySet<unknown> = new Set<Answer['kind']>(['whole', 'live', 'bytes'])

/** Failures of the key, not of the provider: another key may work. */
const KEY_FAULTS = new Set<ProviderReason>(['rate_limited', 'quota', 'credential'])

/** Asks the providers in order, each within its budget of attempts, until one answers. */
export class Chain {
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly pool: KeyPool,
    private readonly options: ChainOptions,
  ) {}

  /** The first answer, with its provider's name. Throws the `GatewayError` for the client. */
  async ask(candidates: readonly Candidate[], call: ChainCall, cancellation: Cancellation): Promise<Answer> {
    const deadline = new Deadline(this.clock, this.options.timeoutMs, cancellation)
    const run: Run = { call, cancellation, deadline, failures: [] }
    try {
      for (const [at, candidate] of candidates.entries()) {
        const answer = await this.#askCandidate(candidate, candidates.slice(at + 1), run)
        if (answer) return answer
        if (deadline.expired) break
      }
    } catch (error) {
      deadline.throwIfAbandoned() // all clients have left: rethrow their cancellation
      if (!deadline.expired) throw toGatewayError(error)
    } finally {
      deadline.clear()
    }
    if (run.unsayable && run.failures.every(({ reason }) => reason === 'unsayable')) throw toGatewayError(run.unsayable)
    throw chainFailure(run.failures, this.#recoveryMs(candidates, run), deadline.expired)
  }

  async #askCandidate(candidate: Candidate, remaining: readonly Candidate[], run: Run): Promise<Answer | undefined> {
    const unfit = new Set<string>() // keys that are wrong or out of credit: not used again in this call
    let spent = new Set<string>() // keys not used again before the next wait
    let asked = false
    for (let attempt = 1; ; ) {
      const choice = this.pool.choose(candidate, spent)
      if (choice.state !== 'ready') {
        if (!asked)
          run.failures.push({
            provider: candidate.name,
            reason: choice.state === 'missing' ? 'no_credential' : 'rate_limited',
          })
        return undefined
      }
      asked = true
      const { answer, error } = await this.#attempt(candidate, choice.key, run)
      if (answer) return answer
      if (run.deadline.expired || error.refused || error.reason === 'unsayable') return undefined
      if (choice.key !== undefined && KEY_FAULTS.has(error.reason)) {
        const { key } = choice.key
        spent.add(key)
        if (error.reason !== 'rate_limited') unfit.add(key)
        if (error.reason !== 'credential') this.pool.cool(candidate.name, key, error.retryAfterMs)
        if (this.pool.peek(candidate, spent).state === 'ready') continue
      }
      const keyChoice = choice.key === undefined ? undefined : this.pool.peek(candidate, unfit)
      const waitMs = attempt < this.options.maxAttempts ? this.#waitMs(error, attempt, keyChoice, remaining) : undefined
      const until = this.clock.monotonic() + (waitMs ?? 0)
      if (waitMs === undefined || until >= run.deadline.at) return undefined
      await this.#sleepUntil(until, run.cancellation.signal)
      spent = new Set(unfit)
      attempt++
    }
  }

  async #attempt({ name, provider, model }: Candidate, key: ProviderKey | undefined, run: Run): Promise<Outcome> {
    const { cancellation, deadline, failures } = run
    const { exchange, prompt, stream } = run.call
    cancellation.throwIfCancelled()
    let error: ProviderError
    try {
      const answer = await provider.attempt(exchange, { prompt, model, stream, key, cancellation })
      if (KINDS.has(answer?.kind)) return { answer }
      error = new ProviderError('protocol', 'the provider plugin returned something that is not an answer')
      this.log.error(error.message, { provider: name, request: exchange.id })
    } catch (thrown) {
      deadline.throwIfAbandoned()
      error = this.#toProviderError(thrown, name, exchange)
    }
    const { reason, status, retryAfterMs, detail } = error
    const level = reason === 'bad_request' || reason === 'unsayable' ? 'debug' : 'warn'
    const details = { ...(status !== undefined && { status }), ...(detail !== undefined && { detail }) }
    this.log[level]('an attempt failed', { provider: name, reason, ...details, request: exchange.id })
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs: this.pool.clamp(retryAfterMs) }
    failures.push({ provider: name, reason, error, ...wait, ...details })
    if (reason === 'bad_request') throw error
    if (reason === 'unsayable') run.unsayable ??= error
    return { error }
  }

  /** What a provider threw, as a `ProviderError`. Errors of the client's own request are rethrown for the client. */
  #toProviderError(thrown: unknown, provider: string, { id: request, failure }: Exchange): ProviderError {
    if (isProviderError(thrown)) return thrown
    // A tap of `attempt` refused the request itself, not this provider.
    if (thrown === failure) throw thrown
    if (isGatewayError(thrown) && thrown.status < 500 && !thrown.recoverable) throw thrown
    // What is unforeseen was logged where it was thrown.
    if (!unforeseen(thrown))
      this.log.error('a provider plugin refused a call', { provider, request, error: String(thrown) })
    return new ProviderError('protocol', 'the provider plugin failed', { cause: thrown })
  }

  /** The wait before the same provider is asked again; `undefined` when it is not. `keyChoice` is the state of its keys. */
  #waitMs(
    error: ProviderError,
    attempt: number,
    keyChoice: KeyChoice | undefined,
    remaining: readonly Candidate[],
  ): number | undefined {
    const { reason, status, retryAfterMs } = error
    // 508 comes from a loop guard, ours or another gateway's: the next attempt would meet it again.
    if (reason === 'quota' || reason === 'credential' || reason === 'bad_request' || status === 508) return undefined
    const limited = reason === 'rate_limited'
    // Waiting for one vendor makes sense only when no other provider is ready.
    if (
      (limited || (retryAfterMs ?? 0) > 0) &&
      remaining.some(candidate => this.pool.peek(candidate).state === 'ready')
    )
      return undefined
    // The vendor named no time, so the key rests for long: the client should retry later rather than wait here.
    if (limited && keyChoice && retryAfterMs === undefined) return undefined
    if (limited && keyChoice?.state === 'cooling') return keyChoice.recoveryMs
    if (retryAfterMs !== undefined) return this.pool.clamp(retryAfterMs)
    const doublings = attempt - 1 + (status === 529 ? 2 : 0)
    return this.clock.random() * Math.min(this.options.retryCapMs, this.options.retryBaseMs * 2 ** doublings)
  }

  /** Timers may fire a little early, and a key that still cools down must not be used. */
  async #sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    for (let ms = at - this.clock.monotonic(); ms > 0; ms = at - this.clock.monotonic())
      await this.clock.sleep(ms, signal)
  }

  /** The time until the first of the limited providers may be asked again. */
  #recoveryMs(candidates: readonly Candidate[], { failures }: Run): number {
    const waits = candidates.flatMap(candidate => {
      const limit = failures.findLast(failure => failure.provider === candidate.name && isLimit(failure))
      if (!limit) return []
      const keyChoice = this.pool.peek(candidate)
      return [
        keyChoice.state === 'cooling'
          ? keyChoice.recoveryMs
          : this.pool.clamp(limit.retryAfterMs ?? this.options.retryCapMs),
      ]
    })
    return Math.min(...waits)
  }
}
