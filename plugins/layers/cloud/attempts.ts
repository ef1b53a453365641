import {
  type Answer,
  type CallSpec,
  type Cancellation,
  type Clock,
  type Exchange,
  type Attempt as HookAttempt,
  isGatewayError,
  isProviderError,
  type LiveAnswer,
  type Log,
  NOT_AN_ANSWER,
  PLUGIN_FAILED,
  ProviderError,
  type ProviderKey,
  type ProviderReason,
  unforeseen,
} from 'deflector'
import { AttemptLimit } from './attempt-limit.ts'
import { blocked, isBlock } from './block.ts'
import type { Candidate } from './candidate.ts'
import type { Circuits } from './circuits.ts'
import { brokenBy, held } from './held.ts'
import { type KeyPool, scopeOf } from './key-pool.ts'

/** One exchange's call, before a provider, its model and its key are chosen. */
export type ChainCall = Pick<CallSpec, 'prompt' | 'stream'> & {
  readonly exchange: Exchange
  /** It goes on with a stream that broke off. */
  readonly resumes?: boolean
}

export interface AttemptOptions {
  /** How long a stream may be silent before its first content, while another provider is ready. */
  readonly firstEventMs: number
  /** How long an answer that comes whole may take, while another provider is ready. */
  readonly wholeAnswerMs: number
  /** A stream is an answer only when it is whole. */
  readonly hold: boolean
}

export interface Attempt {
  readonly call: ChainCall
  readonly candidate: Candidate
  readonly key: ProviderKey | undefined
  readonly cancellation: Cancellation
  /** Whether another provider may be asked in place of a silent one. Absent: there is none. */
  readonly mayLeave?: (() => boolean) | undefined
}

export type Outcome =
  | { readonly answer: Answer; readonly error?: never }
  | {
      readonly answer?: never
      readonly error: ProviderError
      /** It was left because it was silent. */
      readonly silent: boolean
      /** The vendor was not called, because another request's failure had its key cool down in the meantime. */
      readonly cooled: boolean
    }

/** Why a call whose key cools down does not go out. */
class KeyCooled extends ProviderError {}

const KINDS: ReadonlySet<unknown> = new Set<Answer['kind']>(['whole', 'live', 'bytes'])

/** Refusals of what the client sent: nothing that an operator has to know. */
const REFUSALS = new Set<ProviderReason>(['bad_request', 'context', 'unsayable'])

/** All clients have left. A provider that was too slow is cancelled with a provider's error. */
const left = ({ cancelled, reason }: Cancellation): boolean => cancelled && !isProviderError(reason)

/** Makes single attempts at providers, each within its limits, and cools the keys that vendors limit. */
export class Attempts {
  /** The key of each attempt that has begun, until its vendor is called. */
  readonly #begun = new WeakMap<Cancellation, Pick<Attempt, 'candidate' | 'key'>>()

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly pool: KeyPool,
    private readonly circuits: Circuits,
    private readonly options: AttemptOptions,
  ) {}

  /**
   * For a tap of `attempt` behind all others, which may have waited or refused: throws where the chosen key cools down by
   * now. Else its vendor is asked next, which counts as a request of the key.
   */
  checkKey({ cancellation }: Pick<HookAttempt, 'cancellation'>): void {
    const { candidate, key } = this.#begun.get(cancellation) ?? {}
    if (!candidate || !key) return
    if (this.pool.isCooling(candidate, key.key))
      throw new KeyCooled('rate_limited', 'the chosen key has come to cool down')
    this.pool.asks(candidate.name, key)
  }

  /** The answer, or why there is none. Throws what is no failure of the provider's. */
  async make(attempt: Attempt): Promise<Outcome> {
    const { call, candidate, cancellation } = attempt
    const { exchange } = call
    const { name } = candidate
    if (cancellation.cancelled) {
      this.#keyEnded(attempt, false)
      throw cancellation.reason
    }
    this.circuits.begun(name)
    const limit = this.#limit(attempt)
    try {
      const answer = await this.#ask(attempt, limit)
      limit?.begun()
      this.#keyEnded(attempt, true)
      if (answer.kind === 'live') this.#watch(answer, attempt)
      else this.circuits.answered(name)
      return { answer }
    } catch (thrown) {
      limit?.over()
      this.#keyEnded(attempt, false)
      if (left(cancellation)) {
        this.circuits.abandoned(name)
        throw cancellation.reason
      }
      const error = this.#toProviderError(thrown, name, exchange)
      if (!error) {
        this.circuits.abandoned(name) // it showed nothing of the provider
        throw thrown
      }
      const cooled = error.refused && error.cause instanceof KeyCooled
      if (error.refused) this.circuits.abandoned(name)
      else {
        this.circuits.failed(name, error.reason, error)
        this.#cool(attempt, error)
      }
      const { reason, status, detail, fault } = error
      const label = attempt.key?.label
      const details = {
        ...(label !== undefined && { key: label }),
        ...(status !== undefined && { status }),
        ...(detail !== undefined && { detail }),
        ...(fault !== undefined && { fault }),
      }
      // What refused a call for a reason of its own has told the log of it.
      const level = error.refused || REFUSALS.has(reason) || cooled ? 'debug' : 'warn'
      this.log[level]('an attempt failed', { provider: name, reason, ...details, request: exchange.id })
      return { error, silent: limit?.expired === true, cooled }
    }
  }

  #keyEnded({ candidate, key }: Attempt, works: boolean): void {
    if (key) this.pool.ended(candidate, key, works)
  }

  /** A limit is one model's or one endpoint's; an account without credit serves none. */
  #cool({ candidate, key }: Attempt, { reason, retryAfterMs }: ProviderError): void {
    if (!key) return
    if (reason === 'rate_limited') this.pool.cool(candidate.name, key.key, retryAfterMs, scopeOf(candidate))
    else if (reason === 'quota') this.pool.cool(candidate.name, key.key, retryAfterMs, undefined, true)
  }

  /** A stream that has begun is no success yet: one that breaks off says as much of its provider as one that never came. */
  #watch(answer: LiveAnswer, attempt: Attempt): void {
    const { candidate, cancellation } = attempt
    const { name } = candidate
    this.circuits.begins(name)
    const over = (error?: unknown): void => {
      // An answer too large to be assembled was passed on all the same.
      if (answer.progress.complete) this.circuits.answered(name)
      else if (left(cancellation)) this.circuits.abandoned(name)
      else {
        const broken = brokenBy(error)
        this.circuits.failed(name, broken.reason, error)
        this.#cool(attempt, broken)
      }
    }
    answer.whole.then(() => over(), over)
  }

  #limit({ cancellation, mayLeave }: Attempt): AttemptLimit | undefined {
    return mayLeave && new AttemptLimit(this.clock, cancellation, mayLeave)
  }

  async #ask({ call, candidate, key, ...attempt }: Attempt, limit: AttemptLimit | undefined): Promise<Answer> {
    const { exchange, prompt, stream } = call
    const { provider, model, name } = candidate
    const { cancellation } = limit ?? attempt
    this.#begun.set(cancellation, { candidate, key })
    const { firstEventMs = this.options.firstEventMs, wholeAnswerMs = this.options.wholeAnswerMs } =
      provider.limits ?? {}
    limit?.allow(stream ? firstEventMs : wholeAnswerMs)
    const answer = await provider.attempt(exchange, { prompt, model, stream, key, cancellation })
    if (!KINDS.has(answer?.kind)) {
      const error = new ProviderError('protocol', NOT_AN_ANSWER, { fault: NOT_AN_ANSWER })
      this.log.error(error.message, { provider: name, request: exchange.id })
      throw error
    }
    if (!this.options.hold || answer.kind !== 'live') return answer
    limit?.allow(wholeAnswerMs)
    return cancellation.guard(held(answer))
  }

  /** What a provider threw, as a `ProviderError`; `undefined` for errors of the client's own request. */
  #toProviderError(thrown: unknown, provider: string, { id: request, failure }: Exchange): ProviderError | undefined {
    if (isProviderError(thrown)) return thrown
    if (isBlock(thrown)) return blocked(thrown)
    // A tap of `attempt` refused the request itself, not this provider.
    if (thrown === failure) return undefined
    if (isGatewayError(thrown) && thrown.status < 500 && !thrown.recoverable) return undefined
    // What is unforeseen was logged where it was thrown.
    if (!unforeseen(thrown))
      this.log.error('a provider plugin refused a call', { provider, request, error: String(thrown) })
    return new ProviderError('protocol', PLUGIN_FAILED, { cause: thrown, fault: PLUGIN_FAILED })
  }
}
