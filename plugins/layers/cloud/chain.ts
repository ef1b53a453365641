import {
  type Answer,
  type Cancellation,
  type Clock,
  isGatewayError,
  isProviderError,
  type Log,
  type ProviderCall,
  ProviderError,
  type ProviderReason,
  toGatewayError,
  withFacts,
} from 'deflector'
import { Deadline } from './deadline.ts'
import type { KeyPool, Link, Pick } from './key-pool.ts'
import { type Failure, isLimit, verdict } from './verdict.ts'

export interface ChainOptions {
  /** From the first attempt to the first byte, over all providers. */
  readonly timeoutMs: number
  /** Attempts at one provider. A move to another key because of the key alone is not counted. */
  readonly maxAttempts: number
  readonly retryBaseMs: number
  readonly retryCapMs: number
}

/** One call, before a provider, its model and its key are chosen. */
export type Wanted = Omit<ProviderCall, 'model' | 'key' | 'signal' | 'cancellation'>

/** A provider in the order to be asked, and the model to ask it for. */
export interface Step extends Link {
  readonly model: string | undefined
}

interface Run {
  readonly wanted: Wanted
  /** Everybody who waits has left, or the deadline has passed. */
  readonly cancellation: Cancellation
  readonly deadline: Deadline
  readonly failures: (Failure & { readonly retryAfterMs?: number | undefined })[]
}

type Outcome =
  | { readonly answer: Answer; readonly error?: never }
  | { readonly answer?: never; readonly error: ProviderError }

/** One attempt as its provider sees it. */
class Attempt implements ProviderCall {
  readonly prompt: ProviderCall['prompt']
  readonly stream: boolean
  readonly requestId: string
  readonly headers: ProviderCall['headers']

  constructor(
    { prompt, stream, requestId, headers }: Wanted,
    readonly model: string | undefined,
    readonly key: string | undefined,
    readonly cancellation: Cancellation,
  ) {
    this.prompt = prompt
    this.stream = stream
    this.requestId = requestId
    this.headers = headers
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }
}

/** The key is at fault, not the provider: another key may do. */
const KEY_FAULTS = new Set<ProviderReason>(['rate_limited', 'quota', 'credential'])

/** Asks the providers in order, each within its budget of attempts, until one answers. */
export class Chain {
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly pool: KeyPool,
    private readonly options: ChainOptions,
  ) {}

  /** The first answer, with its provider's name. Throws the `GatewayError` that the client is told. */
  async ask(steps: readonly Step[], wanted: Wanted, cancellation: Cancellation): Promise<Answer> {
    const deadline = new Deadline(this.clock, this.options.timeoutMs, cancellation)
    const run: Run = { wanted, cancellation, deadline, failures: [] }
    try {
      for (const [at, step] of steps.entries()) {
        const answer = await this.#askOne(step, steps.slice(at + 1), run)
        if (answer) return withFacts(answer, { provider: step.name, cancellation })
        if (deadline.expired) break
      }
    } catch (error) {
      deadline.checkIn() // nobody is there to be told another story
      if (!deadline.expired) throw toGatewayError(error)
    } finally {
      deadline.clear()
    }
    throw verdict(run.failures, this.#recoveryMs(steps, run), deadline.expired)
  }

  async #askOne(step: Step, later: readonly Step[], run: Run): Promise<Answer | undefined> {
    const unfit = new Set<string>() // for the whole call: wrong, or out of credit
    let spent = new Set<string>() // until the next wait
    let asked = false
    for (let attempt = 1; ; ) {
      const pick = this.pool.pick(step, spent)
      if (pick.state !== 'ready') {
        if (!asked)
          run.failures.push({
            provider: step.name,
            reason: pick.state === 'missing' ? 'no_credential' : 'rate_limited',
          })
        return undefined
      }
      asked = true
      const { answer, error } = await this.#attempt(step, pick.key, run)
      if (answer) return answer
      if (run.deadline.expired) return undefined
      if (pick.key !== undefined && KEY_FAULTS.has(error.reason)) {
        spent.add(pick.key)
        if (error.reason !== 'rate_limited') unfit.add(pick.key)
        if (error.reason !== 'credential') this.pool.cool(step.name, pick.key, error.retryAfterMs)
        if (this.pool.peek(step, spent).state === 'ready') continue
      }
      const rest = pick.key === undefined ? undefined : this.pool.peek(step, unfit)
      const waitMs = attempt < this.options.maxAttempts ? this.#waitMs(error, attempt, rest, later) : undefined
      const until = this.clock.now() + (waitMs ?? 0)
      if (waitMs === undefined || until >= run.deadline.at) return undefined
      await this.#sleepUntil(until, run.cancellation.signal)
      spent = new Set(unfit)
      attempt++
    }
  }

  async #attempt(
    { name, provider, model }: Step,
    key: string | undefined,
    { wanted, cancellation, deadline, failures }: Run,
  ): Promise<Outcome> {
    cancellation.throwIfCancelled()
    const call = new Attempt(wanted, model, key, cancellation)
    let error: ProviderError
    try {
      const answer = await cancellation.guard(Promise.resolve(provider.complete(call)))
      if (answer?.kind === 'whole' || answer?.kind === 'live') return { answer }
      error = new ProviderError('protocol', 'the provider plugin gave something that is no answer')
      this.log.error(error.message, { provider: name, request: wanted.requestId })
    } catch (thrown) {
      deadline.checkIn()
      error = this.#judge(thrown, name, wanted.requestId)
    }
    const { reason, status, retryAfterMs, detail } = error
    const level = reason === 'bad_request' ? 'debug' : 'warn'
    const how = { ...(status !== undefined && { status }), ...(detail !== undefined && { detail }) }
    this.log[level]('an attempt failed', { provider: name, reason, ...how, request: wanted.requestId })
    failures.push({ provider: name, reason, retryAfterMs, ...how })
    if (reason === 'bad_request') throw error
    return { error }
  }

  /** What a provider threw, as a `ProviderError`; what concerns the client's own request goes straight to the client. */
  #judge(thrown: unknown, provider: string, request: string): ProviderError {
    if (isProviderError(thrown)) return thrown
    if (isGatewayError(thrown) && thrown.status < 500 && !thrown.recoverable) throw thrown
    this.log.error('a provider plugin threw something unforeseen', { provider, request, error: String(thrown) })
    return new ProviderError('protocol', 'the provider plugin failed', { cause: thrown })
  }

  /** How long to wait before the same provider is asked again; `undefined`: it is not. `rest` is how its keys are. */
  #waitMs(error: ProviderError, attempt: number, rest: Pick | undefined, later: readonly Step[]): number | undefined {
    const { reason, status, retryAfterMs } = error
    // 508: our own loop guard, or somebody else's. The same way round would end the same.
    if (reason === 'quota' || reason === 'credential' || reason === 'bad_request' || status === 508) return undefined
    const limited = reason === 'rate_limited'
    // A vendor's wait is for those who have nowhere else to go.
    if ((limited || (retryAfterMs ?? 0) > 0) && later.some(step => this.pool.peek(step).state === 'ready'))
      return undefined
    // The vendor named no time: the key rests for long, and whoever asks does better to come back than to hang.
    if (limited && rest && retryAfterMs === undefined) return undefined
    if (limited && rest?.state === 'cooling') return rest.recoveryMs
    if (retryAfterMs !== undefined) return this.pool.clamp(retryAfterMs)
    const doublings = attempt - 1 + (status === 529 ? 2 : 0)
    return this.clock.random() * Math.min(this.options.retryCapMs, this.options.retryBaseMs * 2 ** doublings)
  }

  /** Timers may fire a little early, and a key that still rests may not be used. */
  async #sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    for (let ms = at - this.clock.now(); ms > 0; ms = at - this.clock.now()) await this.clock.sleep(ms, signal)
  }

  /** The soonest time at which one of the limited providers may be asked again. */
  #recoveryMs(steps: readonly Step[], { failures }: Run): number {
    const waits = steps.flatMap(step => {
      const limit = failures.findLast(failure => failure.provider === step.name && isLimit(failure))
      if (!limit) return []
      const rest = this.pool.peek(step)
      return [
        rest.state === 'cooling' ? rest.recoveryMs : this.pool.clamp(limit.retryAfterMs ?? this.options.retryCapMs),
      ]
    })
    return Math.min(...waits)
  }
}
